def plan_early(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.exp(x)
    early = torch.add(a, y)
    b = torch.sin(early)
    c = torch.mul(b, a)
    d = torch.add(c, 1.0)
    e = torch.mul(d, early)
    f = torch.tanh(e)
    return (f,)
