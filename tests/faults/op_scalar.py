def op_scalar(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.exp(x)
    b = torch.add(a, y)
    scaled = torch.mul(b, 1.75)
    c = torch.sin(scaled)
    d = torch.mul(c, a)
    e = torch.add(d, 1.5)
    f = torch.tanh(e)
    return (f,)
