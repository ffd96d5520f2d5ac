# The loss that tests/check_lua.c trains; train_step.safetensors has three steps of PyTorch's
# optimizers on it: what they begin with, the losses, and the parameters behind the last step.
def mlp_loss(x: "f32[8, 4]", t: "i64[8]", w1: "f32[16, 4]", b1: "f32[16]", w2: "f32[3, 16]"):
    h = torch.nn.functional.gelu(torch.nn.functional.linear(x, w1, b1))
    y = torch.nn.functional.linear(h, w2)
    return torch.nn.functional.cross_entropy(y, t)
