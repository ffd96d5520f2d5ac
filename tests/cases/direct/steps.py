import torch
from math import inf

def case0(a: "f32[2, 3]", g: "f32[2, 3]", m: "f32[2, 3]", v: "f32[2, 3]", x: "f32[2, 3]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case1(a: "f64[1]", g: "f64[1]", m: "f64[1]", v: "f64[1]", x: "f64[1]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
    return (y0, y1, y2,)

def case2(a: "f32[3, 2]", g: "f32[3, 2]", m: "f32[3, 2]", v: "f32[3, 2]", x: "f32[3, 2]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
    return (y0, y1, y2,)

def case3(a: "f64[3, 1, 3]", g: "f64[3, 1, 3]", m: "f64[3, 1, 3]", v: "f64[3, 1, 3]", x: "f64[3, 1, 3]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case4(a: "f32[3, 1, 1]", g: "f32[3, 1, 1]", m: "f32[3, 1, 1]", v: "f32[3, 1, 1]", x: "f32[3, 1, 1]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case5(a: "f64[3]", g: "f64[3]", m: "f64[3]", v: "f64[3]", x: "f64[3]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=False)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=False)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=False, is_first_step=False)
    return (y0, y1, y2,)

def case6(a: "f32[2, 2, 2]", g: "f32[2, 2, 2]", m: "f32[2, 2, 2]", v: "f32[2, 2, 2]", x: "f32[2, 2, 2]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case7(a: "f64[3, 3]", g: "f64[3, 3]", m: "f64[3, 3]", v: "f64[3, 3]", x: "f64[3, 3]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=False)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=False)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=False, is_first_step=False)
    return (y0, y1, y2,)

def case8(a: "f32[3, 2, 2]", g: "f32[3, 2, 2]", m: "f32[3, 2, 2]", v: "f32[3, 2, 2]", x: "f32[3, 2, 2]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case9(a: "f64[2, 2, 3]", g: "f64[2, 2, 3]", m: "f64[2, 2, 3]", v: "f64[2, 2, 3]", x: "f64[2, 2, 3]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
    return (y0, y1, y2,)

def case10(a: "f32[1, 2, 2]", g: "f32[1, 2, 2]", m: "f32[1, 2, 2]", v: "f32[1, 2, 2]", x: "f32[1, 2, 2]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case11(a: "f64[2, 1]", g: "f64[2, 1]", m: "f64[2, 1]", v: "f64[2, 1]", x: "f64[2, 1]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case12(a: "f32[3, 1]", g: "f32[3, 1]", m: "f32[3, 1]", v: "f32[3, 1]", x: "f32[3, 1]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=False)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=False)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=False, is_first_step=False)
    return (y0, y1, y2,)

def case13(a: "f64[1, 3]", g: "f64[1, 3]", m: "f64[1, 3]", v: "f64[1, 3]", x: "f64[1, 3]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case14(a: "f32[3, 2, 1]", g: "f32[3, 2, 1]", m: "f32[3, 2, 1]", v: "f32[3, 2, 1]", x: "f32[3, 2, 1]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case15(a: "f64[2, 2]", g: "f64[2, 2]", m: "f64[2, 2]", v: "f64[2, 2]", x: "f64[2, 2]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
    return (y0, y1, y2,)

def case16(a: "f32[2, 1, 2]", g: "f32[2, 1, 2]", m: "f32[2, 1, 2]", v: "f32[2, 1, 2]", x: "f32[2, 1, 2]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=False)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
    return (y0, y1, y2,)

def case17(a: "f64[3, 2, 3]", g: "f64[3, 2, 3]", m: "f64[3, 2, 3]", v: "f64[3, 2, 3]", x: "f64[3, 2, 3]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=False, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=True, is_first_step=False)
    return (y0, y1, y2,)

def case18(a: "f32[1, 3, 2]", g: "f32[1, 3, 2]", m: "f32[1, 3, 2]", v: "f32[1, 3, 2]", x: "f32[1, 3, 2]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=False)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=False)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=False, is_first_step=False)
    return (y0, y1, y2,)

def case19(a: "f64[2, 3, 3]", g: "f64[2, 3, 3]", m: "f64[2, 3, 3]", v: "f64[2, 3, 3]", x: "f64[2, 3, 3]", t: "f32[]"):
    y0 = torch.ops.aten._fused_adam([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y1 = torch.ops.aten._fused_adamw([a], [g], [m], [v], [x], [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, amsgrad=True, maximize=True)
    y2 = torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=True, is_first_step=False)
    return (y0, y1, y2,)
