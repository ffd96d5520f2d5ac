def claim_operands(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.exp(x)
    b = torch.sin(y)
    c = torch.mul(a, b)
    rest = torch.sub(c, a)
    d = torch.tanh(rest)
    e = torch.add(d, b)
    f = torch.mul(e, 0.5)
    return (f,)
