def inplace_reordered(x: "f32[4, 6]", y: "f32[4, 6]"):
    w0 = torch.mul(y, 2.0)
    a = torch.exp(x)
    w0.mul_(a)
    b = torch.sin(x)
    w = torch.add(w0, b)
    c = torch.mul(w, 0.25)
    d = torch.add(c, a)
    return (d, w0)
