def fuse_once(x: "f32[8, 64]", y: "f32[8, 64]"):
    half = torch.mul(x, 0.5)
    a = torch.mul(x, y)
    b = torch.sin(a)
    c = torch.exp(half)
    d = torch.mul(b, c)
    return (d,)
