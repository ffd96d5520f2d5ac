import torch
from math import inf, nan

def log_softmax_case9(a0: "bf16[5, 5]"):
    out = torch.log_softmax(a0, 1)
    return out

def nn_functional_instance_norm_case9(a0: "bf16[5, 5, 5]", a1: "bf16[5]", a2: "bf16[5]", a3: "bf16[5]", a4: "bf16[5]"):
    out = torch.nn.functional.instance_norm(a0, running_mean=a1, running_var=a2, weight=a3, bias=a4, momentum=0.5, eps=0.6)
    return out

def native_batch_norm_case10(a0: "bf16[5, 5, 5]", a1: "bf16[5]", a2: "bf16[5]", a3: "bf16[5]", a4: "bf16[5]"):
    out = torch.native_batch_norm(a0, a1, a2, a3, a4, True, 0.5, 0.6)
    return out

def nn_functional_interpolate__area_case19(a0: "bf16[2, 3, 4, 4, 4]"):
    out = torch.nn.functional.interpolate(a0, (5, 5, 5), scale_factor=None, mode='area', align_corners=None)
    return out

def grid_sampler_2d_case16(a0: "bf16[2, 3, 5, 20]", a1: "bf16[2, 13, 10, 2]"):
    out = torch.grid_sampler_2d(a0, a1, 0, 0, False)
    return out

def grid_sampler_2d_case18(a0: "bf16[2, 3, 5, 20]", a1: "bf16[2, 13, 10, 2]"):
    out = torch.grid_sampler_2d(a0, a1, 1, 1, False)
    return out

def kthvalue_case10(a0: "i64[5, 5, 5]"):
    out = torch.kthvalue(a0, 2)
    return out

def topk_case15(a0: "i64[5, 10, 5]"):
    out = torch.topk(a0, 3, 1, True)
    return out

def tensor_split_case0(a0: "f32[5, 5, 5]", a1: "i64[3]"):
    out = torch.tensor_split(a0, a1)
    return out

def tensor_split_case1(a0: "f32[5, 5, 5]", a1: "i64[]"):
    out = torch.tensor_split(a0, a1)
    return out

def linalg_matrix_norm_case9(a0: "f32[2, 3, 2]"):
    out = torch.linalg.matrix_norm(a0, 'nuc', (-2, -1), True)
    return out

def norm__nuc_case1(a0: "f32[5, 5, 5]"):
    out = torch.norm(a0, 'nuc', [1, 2])
    return out

def linalg_norm__subgradients_at_zero_case13(a0: "f32[5, 5]"):
    out = torch.linalg.norm(a0, 2, keepdim=True)
    return out

def linalg_norm__subgradients_at_zero_case19(a0: "bf16[0, 0]"):
    out = torch.linalg.norm(a0, 1, keepdim=True)
    return out

def lcm_case3(a: "i8[72]", b: "i8[72]"):
    out = torch.lcm(a, b)
    return out

def reduce_cumprod_case3(a: "bf16[3, 30]"):
    out = torch.cumprod(a, dim=1)
    return out

