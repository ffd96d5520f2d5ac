def kernel_negative_zero(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.abs(x)
    b = torch.mul(a, 0.0)
    minus = torch.neg(b)
    c = torch.mul(y, y)
    d = torch.reciprocal(minus)
    e = torch.add(d, c)
    f = torch.maximum(e, y)
    return (f,)
