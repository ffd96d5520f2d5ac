def grad_term(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.sin(x)
    twice = torch.exp(a)
    b = torch.tanh(twice)
    c = torch.mul(twice, y)
    d = torch.add(b, c)
    e = torch.mul(d, 0.5)
    f = torch.cos(e)
    return (f,)
