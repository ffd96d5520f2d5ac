def cse_scalar(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.add(x, y)
    b = torch.add(y, x)
    doubled = torch.mul(a, 2.25)
    tripled = torch.mul(b, 2.75)
    c = torch.sin(doubled)
    d = torch.add(c, tripled)
    e = torch.mul(d, 0.5)
    return (e,)
