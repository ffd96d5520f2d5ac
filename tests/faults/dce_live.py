def dce_live(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.add(x, y)
    unused = torch.exp(a)
    kept = torch.sin(a)
    b = torch.mul(a, 0.5)
    unused_too = torch.cos(b)
    c = torch.mul(kept, b)
    d = torch.add(c, 1.0)
    return (d,)
