# Adam with its moments and its parameter written in place: a recorded run has new contents as results.
def adam_in_place(p: "f32[4096, 1024]", g: "f32[4096, 1024]", m: "f32[4096, 1024]", v: "f32[4096, 1024]"):
    m.mul_(0.9).add_(g * 0.1)
    v.mul_(0.999).add_(g * g * 0.001)
    p.sub_(0.001 * m / (v.abs().sqrt() + 1e-8))
    return (p.sum(),)
