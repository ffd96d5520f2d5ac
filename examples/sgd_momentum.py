# One step of torch.optim.SGD(momentum=0.9, weight_decay=0.01, nesterov=False): state in, state out.
# velocity is zero at first, step by step what the program returns.
def sgd_momentum(param: "f32[4, 3]", grad: "f32[4, 3]", velocity: "f32[4, 3]", lr: "f32[]"):
    decayed = grad + 0.01 * param
    new_velocity = 0.9 * velocity + decayed
    new_param = param - lr * new_velocity
    return new_param, new_velocity
