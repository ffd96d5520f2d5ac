# One step of torch.optim.Adam(betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01): the decay is part of
# the gradient. step, exp_avg and exp_avg_sq are zero at first.
def adam(param: "f32[4, 3]", grad: "f32[4, 3]", exp_avg: "f32[4, 3]", exp_avg_sq: "f32[4, 3]", step: "f32[]", lr: "f32[]"):
    new_step = step + 1
    decayed = grad + 0.01 * param
    new_exp_avg = torch.lerp(exp_avg, decayed, 0.1)
    new_exp_avg_sq = 0.999 * exp_avg_sq + 0.001 * decayed * decayed
    bias_correction1 = 1 - torch.pow(0.9, new_step)
    bias_correction2 = 1 - torch.pow(0.999, new_step)
    denom = torch.sqrt(new_exp_avg_sq) / torch.sqrt(bias_correction2) + 1e-8
    new_param = param - lr / bias_correction1 * (new_exp_avg / denom)
    return new_param, new_exp_avg, new_exp_avg_sq, new_step
