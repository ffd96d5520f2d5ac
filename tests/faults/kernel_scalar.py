def kernel_scalar(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.cumsum(x, 0)
    b = torch.add(a, y)
    scaled = torch.mul(b, 1.75)
    c = torch.abs(scaled)
    d = torch.mul(c, a)
    e = torch.add(d, 1.5)
    f = torch.cumsum(e, 1)
    return (f,)
