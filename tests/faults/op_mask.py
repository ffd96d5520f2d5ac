def op_mask(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.exp(x)
    b = torch.add(x, 1.0)
    mask = torch.gt(y, 100.0)
    masked = torch.where(mask, a, b)
    c = torch.mul(masked, 0.5)
    d = torch.sin(c)
    e = torch.add(d, a)
    return (e,)
