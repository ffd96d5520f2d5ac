# One step of torch.optim.AdamW(betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01): the decay acts on
# the parameter itself. step, exp_avg and exp_avg_sq are zero at first.
def adamw(param: "f32[4, 3]", grad: "f32[4, 3]", exp_avg: "f32[4, 3]", exp_avg_sq: "f32[4, 3]", step: "f32[]", lr: "f32[]"):
    new_step = step + 1
    decayed = param * (1 - lr * 0.01)
    new_exp_avg = torch.lerp(exp_avg, grad, 0.1)
    new_exp_avg_sq = 0.999 * exp_avg_sq + 0.001 * grad * grad
    bias_correction1 = 1 - torch.pow(0.9, new_step)
    bias_correction2 = 1 - torch.pow(0.999, new_step)
    denom = torch.sqrt(new_exp_avg_sq) / torch.sqrt(bias_correction2) + 1e-8
    new_param = decayed - lr / bias_correction1 * (new_exp_avg / denom)
    return new_param, new_exp_avg, new_exp_avg_sq, new_step
