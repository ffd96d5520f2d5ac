def kernel_mask(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.cumsum(x, 0)
    b = torch.add(a, 1.0)
    mask = torch.gt(y, 100.0)
    masked = torch.where(mask, a, b)
    c = torch.mul(masked, 0.5)
    d = torch.abs(c)
    e = torch.cumsum(d, 1)
    return (e,)
