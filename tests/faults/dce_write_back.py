def dce_write_back(x: "f32[4, 6]", y: "f32[6]"):
    a = torch.add(y, 1.0)
    b = torch.mul(a, 0.25)
    unused = torch.tan(b)
    c = torch.mul(b, 0.5)
    x.mul_(c)
    d = torch.sin(b)
    e = torch.mul(d, c)
    return (e,)
