def grad_operands(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.sin(x)
    b = torch.exp(y)
    product = torch.mul(a, b)
    c = torch.cos(product)
    d = torch.mul(c, 0.5)
    e = torch.tanh(d)
    f = torch.mul(e, 3.0)
    return (f,)
