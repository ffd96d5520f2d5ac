def fold_negative_zero(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.abs(x)
    b = torch.mul(a, -0.0)
    c = torch.mul(y, 1)
    plain = torch.add(b, 0)
    d = torch.exp(c)
    e = torch.reciprocal(plain)
    f = torch.mul(e, d)
    return (f,)
