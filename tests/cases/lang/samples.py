import torch
from math import inf, nan

def __getitem__(a0: "f32[5, 5, 5]"):
    out = a0[[1, 2]]
    return out

def abs(a0: "f32[20, 20]"):
    out = torch.abs(a0)
    return out

def acos(a0: "f32[20]"):
    out = torch.acos(a0)
    return out

def acosh(a0: "f32[20]"):
    out = torch.acosh(a0)
    return out

def add(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.add(a0, a1)
    return out

def addbmm(a0: "f32[5, 10]", a1: "f32[5, 5, 5]", a2: "f32[5, 5, 10]"):
    out = torch.addbmm(a0, a1, a2, beta=1, alpha=1)
    return out

def addcdiv(a0: "f32[5, 5]", a1: "f32[5, 5]", a2: "f32[5, 5]"):
    out = torch.addcdiv(a0, a1, a2)
    return out

def addcmul(a0: "f32[5, 5]", a1: "f32[5, 5]", a2: "f32[5, 5]"):
    out = torch.addcmul(a0, a1, a2)
    return out

def addmm(a0: "f32[2, 3]", a1: "f32[2, 2]", a2: "f32[2, 3]"):
    out = torch.addmm(a0, a1, a2, alpha=0.6, beta=0.2)
    return out

def addmm__decomposed(a0: "f32[2, 3]", a1: "f32[2, 2]", a2: "f32[2, 3]"):
    out = torch.addmm(a0, a1, a2, alpha=1, beta=1)
    return out

def addmv(a0: "f32[5]", a1: "f32[5, 10]", a2: "f32[10]"):
    out = torch.addmv(a0, a1, a2, beta=1, alpha=1)
    return out

def addr(a0: "f32[5, 10]", a1: "f32[5]", a2: "f32[10]"):
    out = torch.addr(a0, a1, a2)
    return out

def all(a0: "f32[2]"):
    out = torch.all(a0)
    return out

def amax(a0: "f32[2]"):
    out = torch.amax(a0)
    return out

def amin(a0: "f32[2]"):
    out = torch.amin(a0)
    return out

def angle(a0: "f32[20, 20]"):
    out = torch.angle(a0)
    return out

def any(a0: "f32[2]"):
    out = torch.any(a0)
    return out

def arange():
    out = torch.arange(-1, 2, 2, dtype=torch.float32, device='cpu')
    return out

def argmax(a0: "f32[2]"):
    out = torch.argmax(a0)
    return out

def argmin(a0: "f32[2]"):
    out = torch.argmin(a0)
    return out

def argsort(a0: "f32[5, 5, 5]"):
    out = torch.argsort(a0, -3, True)
    return out

def as_strided(a0: "f32[1]"):
    out = torch.as_strided(a0, (1,), (1,), storage_offset=0)
    return out

def as_strided__partial_views(a0: "f32[10]"):
    out = torch.as_strided(a0, (2, 2), (1, 2))
    return out

def asin(a0: "f32[20, 20]"):
    out = torch.asin(a0)
    return out

def asinh(a0: "f32[20, 20]"):
    out = torch.asinh(a0)
    return out

def atan(a0: "f32[20, 20]"):
    out = torch.atan(a0)
    return out

def atan2(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.atan2(a0, a1)
    return out

def atanh(a0: "f32[20, 20]"):
    out = torch.atanh(a0)
    return out

def atleast_1d(a0: "f32[5, 5, 5, 5]"):
    out = torch.atleast_1d(a0)
    return out

def atleast_2d(a0: "f32[5, 5, 5, 5]"):
    out = torch.atleast_2d(a0)
    return out

def atleast_3d(a0: "f32[5, 5, 5, 5]"):
    out = torch.atleast_3d(a0)
    return out

def baddbmm(a0: "f32[5, 5, 10]", a1: "f32[5, 5, 5]", a2: "f32[5, 5, 10]"):
    out = torch.baddbmm(a0, a1, a2, beta=1, alpha=1)
    return out

def bitwise_and(a0: "i64[]", a1: "i64[]"):
    out = torch.bitwise_and(a0, a1)
    return out

def bitwise_left_shift(a0: "i64[]", a1: "i64[]"):
    out = torch.bitwise_left_shift(a0, a1)
    return out

def bitwise_not(a0: "i64[20]"):
    out = torch.bitwise_not(a0)
    return out

def bitwise_or(a0: "i64[]", a1: "i64[]"):
    out = torch.bitwise_or(a0, a1)
    return out

def bitwise_right_shift(a0: "i64[]", a1: "i64[]"):
    out = torch.bitwise_right_shift(a0, a1)
    return out

def bitwise_xor(a0: "i64[]", a1: "i64[]"):
    out = torch.bitwise_xor(a0, a1)
    return out

def bmm(a0: "f32[10, 5, 10]", a1: "f32[10, 10, 5]"):
    out = torch.bmm(a0, a1)
    return out

def broadcast_to(a0: "f32[5, 1, 1]"):
    out = torch.broadcast_to(a0, (5, 5, 5))
    return out

def bucketize(a0: "f32[5]", a1: "f32[5]"):
    out = torch.bucketize(a0, a1, out_int32=False, right=False)
    return out

def cat(a0: "f32[5, 5]", a1: "f32[5, 5]"):
    out = torch.cat([a0, a1], dim=-1)
    return out

def cdist(a0: "f32[5, 5, 2]", a1: "f32[5, 6, 2]"):
    out = torch.cdist(a0, a1, 0.0, 'use_mm_for_euclid_dist')
    return out

def ceil(a0: "f32[20, 20]"):
    out = torch.ceil(a0)
    return out

def chunk(a0: "f32[5, 5, 5]"):
    out = torch.chunk(a0, 2)
    return out

def clamp(a0: "f32[5, 10, 5]", a1: "f32[5, 10, 5]", a2: "f32[5, 10, 5]"):
    out = torch.clamp(a0, a1, a2)
    return out

def clamp_max(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.clamp_max(a0, a1)
    return out

def clamp_min(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.clamp_min(a0, a1)
    return out

def clone(a0: "f32[5, 10, 5]"):
    out = torch.clone(a0)
    return out

def conj(a0: "f32[20]"):
    out = torch.conj(a0)
    return out

def constant_pad_nd(a0: "f32[1, 3, 3]"):
    out = torch.constant_pad_nd(a0, (2, 2))
    return out

def contiguous(a0: "f32[5, 10, 5]"):
    out = a0.contiguous()
    return out

def copysign(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.copysign(a0, a1)
    return out

def cos(a0: "f32[20]"):
    out = torch.cos(a0)
    return out

def cosh(a0: "f32[20]"):
    out = torch.cosh(a0)
    return out

def count_nonzero(a0: "f32[2]"):
    out = torch.count_nonzero(a0)
    return out

def cross(a0: "f32[5, 3]", a1: "f32[5, 3]"):
    out = torch.cross(a0, a1)
    return out

def cummax(a0: "f32[5, 5, 5]"):
    out = torch.cummax(a0, 0)
    return out

def cummin(a0: "f32[5, 5, 5]"):
    out = torch.cummin(a0, 0)
    return out

def cumprod(a0: "f32[5, 5, 5]"):
    out = torch.cumprod(a0, 0)
    return out

def cumsum(a0: "f32[5, 5, 5]"):
    out = torch.cumsum(a0, 0)
    return out

def deg2rad(a0: "f32[20, 20]"):
    out = torch.deg2rad(a0)
    return out

def diag(a0: "f32[10]"):
    out = torch.diag(a0)
    return out

def diag_embed(a0: "f32[5, 5]"):
    out = torch.diag_embed(a0)
    return out

def diagonal(a0: "f32[5, 5]"):
    out = torch.diagonal(a0)
    return out

def diff(a0: "f32[1]"):
    out = torch.diff(a0, 0, 0, None, None)
    return out

def digamma(a0: "f32[20]"):
    out = torch.digamma(a0)
    return out

def div__floor_rounding(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.div(a0, a1, rounding_mode='floor')
    return out

def div__no_rounding_mode(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.div(a0, a1)
    return out

def div__trunc_rounding(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.div(a0, a1, rounding_mode='trunc')
    return out

def dot(a0: "f32[5]", a1: "f32[5]"):
    out = torch.dot(a0, a1)
    return out

def dstack(a0: "f32[5]", a1: "f32[5]", a2: "f32[5]"):
    out = torch.dstack((a0, a1, a2,))
    return out

def eq(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.eq(a0, a1)
    return out

def erf(a0: "f32[20, 20]"):
    out = torch.erf(a0)
    return out

def erfc(a0: "f32[20]"):
    out = torch.erfc(a0)
    return out

def erfinv(a0: "f32[20, 20]"):
    out = torch.erfinv(a0)
    return out

def exp(a0: "f32[20]"):
    out = torch.exp(a0)
    return out

def exp2(a0: "f32[20]"):
    out = torch.exp2(a0)
    return out

def expand(a0: "f32[5, 1, 1]"):
    out = a0.expand((5, 5, 5))
    return out

def expand_as(a0: "f32[5, 1, 1]", a1: "f32[5, 5, 5]"):
    out = a0.expand_as(a1)
    return out

def expm1(a0: "f32[20, 20]"):
    out = torch.expm1(a0)
    return out

def eye():
    out = torch.eye(0, device='cpu', dtype=torch.float32, requires_grad=False)
    return out

def fill(a0: "f32[20]"):
    out = torch.fill(a0, value=True)
    return out

def flatten(a0: "f32[5, 5, 5]"):
    out = torch.flatten(a0)
    return out

def flip(a0: "f32[5, 10, 5]"):
    out = torch.flip(a0, dims=(0, 1, 2))
    return out

def floor(a0: "f32[20, 20]"):
    out = torch.floor(a0)
    return out

def floor_divide(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.floor_divide(a0, a1)
    return out

def fmod(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.fmod(a0, a1)
    return out

def frac(a0: "f32[20, 20]"):
    out = torch.frac(a0)
    return out

def frexp(a0: "f32[20]"):
    out = torch.frexp(a0)
    return out

def full():
    out = torch.full((10,), -8.478373527526855, dtype=torch.float32, device='cpu')
    return out

def full_like(a0: "f32[5, 5]"):
    out = torch.full_like(a0, -1.765825867652893)
    return out

def gather(a0: "f32[10, 5]", a1: "i64[5, 5]"):
    out = torch.gather(a0, 0, a1)
    return out

def ge(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.ge(a0, a1)
    return out

def grid_sampler_2d(a0: "f32[2, 3, 5, 20]", a1: "f32[2, 13, 10, 2]"):
    out = torch.grid_sampler_2d(a0, a1, 0, 0, False)
    return out

def gt(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.gt(a0, a1)
    return out

def heaviside(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.heaviside(a0, a1)
    return out

def hstack(a0: "f32[5]", a1: "f32[5]", a2: "f32[5]"):
    out = torch.hstack((a0, a1, a2,))
    return out

def hypot(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.hypot(a0, a1)
    return out

def index_add(a0: "f32[1]", a1: "i64[1]", a2: "f32[1]"):
    out = torch.index_add(a0, 0, a1, a2, alpha=-1)
    return out

def index_copy(a0: "f32[1]", a1: "i64[1]", a2: "f32[1]"):
    out = torch.index_copy(a0, 0, a1, a2)
    return out

def index_fill(a0: "f32[5, 5]", a1: "i64[5]"):
    out = torch.index_fill(a0, -1, a1, -8.478373527526855)
    return out

def index_put(a0: "f32[5, 5]", a1: "i64[1]", a2: "f32[1, 5]"):
    out = torch.index_put(a0, (a1,), a2, accumulate=False)
    return out

def index_select(a0: "f32[1]", a1: "i64[1]"):
    out = torch.index_select(a0, 0, a1)
    return out

def isclose(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.isclose(a0, a1)
    return out

def isfinite(a0: "f32[20]"):
    out = torch.isfinite(a0)
    return out

def isinf(a0: "f32[20, 20]"):
    out = torch.isinf(a0)
    return out

def isnan(a0: "f32[20, 20]"):
    out = torch.isnan(a0)
    return out

def kron(a0: "f32[5, 5]", a1: "f32[10, 20]"):
    out = torch.kron(a0, a1)
    return out

def kthvalue(a0: "f32[5, 5, 5]"):
    out = torch.kthvalue(a0, 2)
    return out

def ldexp(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.ldexp(a0, a1)
    return out

def le(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.le(a0, a1)
    return out

def lerp(a0: "f32[5, 5]", a1: "f32[5, 5]"):
    out = torch.lerp(a0, a1, 0.4)
    return out

def lgamma(a0: "f32[20]"):
    out = torch.lgamma(a0)
    return out

def linalg_cross(a0: "f32[5, 3]", a1: "f32[5, 3]"):
    out = torch.linalg.cross(a0, a1)
    return out

def linalg_multi_dot(a0: "f32[1, 2]", a1: "f32[2, 1]"):
    out = torch.linalg.multi_dot([a0, a1])
    return out

def linalg_norm(a0: "f32[5]"):
    out = torch.linalg.norm(a0, keepdim=False)
    return out

def linalg_norm__subgradients_at_zero(a0: "f32[5]"):
    out = torch.linalg.norm(a0, None, keepdim=False)
    return out

def linalg_vector_norm(a0: "f32[2]"):
    out = torch.linalg.vector_norm(a0, ord=float('-inf'))
    return out

def linspace():
    out = torch.linspace(-2.0, -3, 0, dtype=torch.float32, device='cpu')
    return out

def linspace__tensor_overload(a0: "i64[]"):
    out = torch.linspace(-2.0, a0, 0, dtype=torch.float32, device='cpu')
    return out

def log(a0: "f32[20]"):
    out = torch.log(a0)
    return out

def log10(a0: "f32[20]"):
    out = torch.log10(a0)
    return out

def log1p(a0: "f32[20, 20]"):
    out = torch.log1p(a0)
    return out

def log2(a0: "f32[20]"):
    out = torch.log2(a0)
    return out

def log_softmax(a0: "f32[5]"):
    out = torch.log_softmax(a0, 0)
    return out

def log_softmax__with_dtype(a0: "f32[5]"):
    out = torch.log_softmax(a0, 0, dtype=torch.float64)
    return out

def logcumsumexp(a0: "f32[5, 5, 5]"):
    out = torch.logcumsumexp(a0, 0)
    return out

def logical_and(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.logical_and(a0, a1)
    return out

def logical_not(a0: "f32[20]"):
    out = torch.logical_not(a0)
    return out

def logical_or(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.logical_or(a0, a1)
    return out

def logical_xor(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.logical_xor(a0, a1)
    return out

def logit(a0: "f32[5, 5, 5]"):
    out = torch.logit(a0)
    return out

def logspace():
    out = torch.logspace(0, -3, 0, dtype=torch.float32, device='cpu')
    return out

def logspace__tensor_overload(a0: "i64[]", a1: "i64[]"):
    out = torch.logspace(a0, a1, 0, dtype=torch.float32, device='cpu')
    return out

def logsumexp(a0: "f32[5, 5]"):
    out = torch.logsumexp(a0, (1,), True)
    return out

def lt(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.lt(a0, a1)
    return out

def masked_fill(a0: "f32[5, 5]", a1: "b8[5, 5]"):
    out = torch.masked_fill(a0, a1, 10)
    return out

def masked_scatter(a0: "f32[5, 5]", a1: "b8[5, 5]", a2: "f32[5, 5]"):
    out = torch.masked_scatter(a0, a1, a2)
    return out

def matmul(a0: "f32[20]", a1: "f32[20]"):
    out = torch.matmul(a0, a1)
    return out

def max__binary(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.max(a0, a1)
    return out

def max__reduction_no_dim(a0: "f32[5, 5, 5]"):
    out = torch.max(a0)
    return out

def max__reduction_with_dim(a0: "f32[5, 5, 5]"):
    out = torch.max(a0, 1)
    return out

def maximum(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.maximum(a0, a1)
    return out

def mean(a0: "f32[2]"):
    out = torch.mean(a0)
    return out

def median(a0: "f32[2]"):
    out = torch.median(a0)
    return out

def meshgrid__list_of_tensors(a0: "f32[3]"):
    out = torch.meshgrid([a0], indexing='xy')
    return out

def meshgrid__variadic_tensors(a0: "f32[3]"):
    out = torch.meshgrid(a0, indexing='xy')
    return out

def min__binary(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.min(a0, a1)
    return out

def min__reduction_no_dim(a0: "f32[5, 5, 5]"):
    out = torch.min(a0)
    return out

def min__reduction_with_dim(a0: "f32[5, 5, 5]"):
    out = torch.min(a0, 1)
    return out

def minimum(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.minimum(a0, a1)
    return out

def mm(a0: "f32[5, 10]", a1: "f32[10, 5]"):
    out = torch.mm(a0, a1)
    return out

def mode(a0: "f32[5, 5, 5]"):
    out = torch.mode(a0)
    return out

def movedim(a0: "f32[4, 3, 2, 1]"):
    out = torch.movedim(a0, [0, 1, 2, 3], [3, 2, 1, 0])
    return out

def mul(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.mul(a0, a1)
    return out

def mv(a0: "f32[5, 10]", a1: "f32[10]"):
    out = torch.mv(a0, a1)
    return out

def nan_to_num(a0: "f32[20]"):
    out = torch.nan_to_num(a0)
    return out

def nanmean(a0: "f32[2]"):
    out = torch.nanmean(a0)
    return out

def nansum(a0: "f32[2]"):
    out = torch.nansum(a0)
    return out

def native_batch_norm(a0: "f32[5, 5, 5]", a1: "f32[5]", a2: "f32[5]", a3: "f32[5]", a4: "f32[5]"):
    out = torch.native_batch_norm(a0, a1, a2, a3, a4, True, 0.5, 0.6)
    return out

def ne(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.ne(a0, a1)
    return out

def neg(a0: "f32[20, 20]"):
    out = torch.neg(a0)
    return out

def new_full(a0: "f32[5, 5]"):
    out = a0.new_full((2, 0), 4.319086074829102)
    return out

def new_zeros(a0: "f32[5, 5]"):
    out = a0.new_zeros((2, 0))
    return out

def nextafter(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.nextafter(a0, a1)
    return out

def nn_functional_adaptive_avg_pool1d(a0: "f32[8, 8]"):
    out = torch.nn.functional.adaptive_avg_pool1d(a0, (5,))
    return out

def nn_functional_adaptive_avg_pool2d(a0: "f32[1, 8, 8, 8]"):
    out = torch.nn.functional.adaptive_avg_pool2d(a0, (5, 7))
    return out

def nn_functional_adaptive_max_pool2d(a0: "f32[1, 4, 4, 4]"):
    out = torch.nn.functional.adaptive_max_pool2d(a0, (2, 3), True)
    return out

def nn_functional_avg_pool1d(a0: "f32[2, 3, 9]"):
    out = torch.nn.functional.avg_pool1d(a0, (3,))
    return out

def nn_functional_avg_pool2d(a0: "f32[1, 3, 9, 9]"):
    out = torch.nn.functional.avg_pool2d(a0, 3, 1, 1, True, False, 2)
    return out

def nn_functional_avg_pool3d(a0: "f32[2, 3, 3, 4, 4]"):
    out = torch.nn.functional.avg_pool3d(a0, (2, 2, 2))
    return out

def nn_functional_batch_norm(a0: "f32[5, 5, 5]", a1: "f32[5]", a2: "f32[5]", a3: "f32[5]", a4: "f32[5]"):
    out = torch.nn.functional.batch_norm(a0, a1, a2, a3, a4, training=True, momentum=0.5, eps=0.6)
    return out

def nn_functional_bilinear(a0: "f32[3]", a1: "f32[4]", a2: "f32[5, 3, 4]", a3: "f32[5]"):
    out = torch.nn.functional.bilinear(a0, a1, a2, a3)
    return out

def nn_functional_binary_cross_entropy(a0: "f32[1]", a1: "f32[1]"):
    out = torch.nn.functional.binary_cross_entropy(a0, a1)
    return out

def nn_functional_binary_cross_entropy_with_logits(a0: "f32[1]", a1: "f32[1]"):
    out = torch.nn.functional.binary_cross_entropy_with_logits(a0, a1)
    return out

def nn_functional_celu(a0: "f32[20]"):
    out = torch.nn.functional.celu(a0)
    return out

def nn_functional_conv1d(a0: "f32[1, 3, 4]", a1: "f32[3, 3, 3]", a2: "f32[3]"):
    out = torch.nn.functional.conv1d(a0, a1, a2, stride=(2,), padding=2, groups=1)
    return out

def nn_functional_conv2d(a0: "f32[1, 3, 4, 4]", a1: "f32[3, 3, 3, 3]", a2: "f32[3]"):
    out = torch.nn.functional.conv2d(a0, a1, a2, stride=(2, 2), padding=2, groups=1)
    return out

def nn_functional_conv3d(a0: "f32[1, 1, 4, 4, 4]", a1: "f32[1, 1, 1, 1, 1]", a2: "f32[1]"):
    out = torch.nn.functional.conv3d(a0, a1, a2, padding='same')
    return out

def nn_functional_conv_transpose1d(a0: "f32[1, 3, 4]", a1: "f32[3, 3, 3]", a2: "f32[3]"):
    out = torch.nn.functional.conv_transpose1d(a0, a1, a2, stride=(2,), padding=2, output_padding=(1,), groups=1)
    return out

def nn_functional_conv_transpose2d(a0: "f32[1, 3, 4, 4]", a1: "f32[3, 3, 3, 3]", a2: "f32[3]"):
    out = torch.nn.functional.conv_transpose2d(a0, a1, a2, stride=(2, 2), padding=2, output_padding=(1, 1), groups=1)
    return out

def nn_functional_cosine_similarity(a0: "f32[5, 5]", a1: "f32[5, 5]"):
    out = torch.nn.functional.cosine_similarity(a0, a1, dim=1)
    return out

def nn_functional_cross_entropy(a0: "f32[2, 3]", a1: "i64[2]"):
    out = torch.nn.functional.cross_entropy(a0, a1)
    return out

def nn_functional_elu(a0: "f32[20]"):
    out = torch.nn.functional.elu(a0)
    return out

def nn_functional_embedding_bag(a0: "f32[10, 5]", a1: "i64[5]", a2: "i64[2]", a3: "f32[5]"):
    out = torch.nn.functional.embedding_bag(a0, a1, offsets=a2, mode='sum', per_sample_weights=a3)
    return out

def nn_functional_gaussian_nll_loss(a0: "f32[5]", a1: "f32[5]", a2: "f32[5]"):
    out = torch.nn.functional.gaussian_nll_loss(a0, a1, a2, reduction='none')
    return out

def nn_functional_gelu(a0: "f32[10, 10]"):
    out = torch.nn.functional.gelu(a0, approximate='none')
    return out

def nn_functional_glu(a0: "f32[2]"):
    out = torch.nn.functional.glu(a0, 0)
    return out

def nn_functional_group_norm(a0: "f32[1, 6, 3]", a1: "f32[6]", a2: "f32[6]"):
    out = torch.nn.functional.group_norm(a0, 2, weight=a1, bias=a2, eps=0.5)
    return out

def nn_functional_hardshrink(a0: "f32[5, 5]"):
    out = torch.nn.functional.hardshrink(a0, lambd=-0.5)
    return out

def nn_functional_hardsigmoid(a0: "f32[20]"):
    out = torch.nn.functional.hardsigmoid(a0)
    return out

def nn_functional_hardswish(a0: "f32[10, 10]"):
    out = torch.nn.functional.hardswish(a0)
    return out

def nn_functional_hardtanh(a0: "f32[5, 5]"):
    out = torch.nn.functional.hardtanh(a0, min_val=-0.5, max_val=0.5)
    return out

def nn_functional_hinge_embedding_loss(a0: "f32[5]", a1: "f32[5]"):
    out = torch.nn.functional.hinge_embedding_loss(a0, a1, reduction='none', margin=8.396163642458497)
    return out

def nn_functional_huber_loss(a0: "f32[5]", a1: "f32[5]"):
    out = torch.nn.functional.huber_loss(a0, a1, reduction='none', delta=8.698115367693557)
    return out

def nn_functional_instance_norm(a0: "f32[5, 5, 5]", a1: "f32[5]", a2: "f32[5]", a3: "f32[5]", a4: "f32[5]"):
    out = torch.nn.functional.instance_norm(a0, running_mean=a1, running_var=a2, weight=a3, bias=a4, momentum=0.5, eps=0.6)
    return out

def nn_functional_interpolate__area(a0: "f32[2, 3, 4]"):
    out = torch.nn.functional.interpolate(a0, (3,), scale_factor=None, mode='area', align_corners=None)
    return out

def nn_functional_interpolate__bicubic(a0: "f32[2, 3, 4, 4]"):
    out = torch.nn.functional.interpolate(a0, (3, 3), scale_factor=None, mode='bicubic', align_corners=True)
    return out

def nn_functional_interpolate__bilinear(a0: "f32[2, 3, 4, 4]"):
    out = torch.nn.functional.interpolate(a0, (3, 3), scale_factor=None, mode='bilinear', align_corners=True)
    return out

def nn_functional_interpolate__linear(a0: "f32[2, 3, 4]"):
    out = torch.nn.functional.interpolate(a0, (3,), scale_factor=None, mode='linear', align_corners=True)
    return out

def nn_functional_interpolate__nearest_exact(a0: "f32[2, 3, 4]"):
    out = torch.nn.functional.interpolate(a0, (3,), scale_factor=None, mode='nearest-exact', align_corners=None)
    return out

def nn_functional_interpolate__nearest(a0: "f32[2, 3, 4]"):
    out = torch.nn.functional.interpolate(a0, (3,), scale_factor=None, mode='nearest', align_corners=None)
    return out

def nn_functional_interpolate__trilinear(a0: "f32[2, 3, 4, 4, 4]"):
    out = torch.nn.functional.interpolate(a0, (3, 3, 3), scale_factor=None, mode='trilinear', align_corners=True)
    return out

def nn_functional_kl_div(a0: "f32[2]", a1: "f32[2]"):
    out = torch.nn.functional.kl_div(a0, a1, reduction='none', log_target=True)
    return out

def nn_functional_l1_loss(a0: "f32[5]", a1: "f32[5]"):
    out = torch.nn.functional.l1_loss(a0, a1, reduction='mean')
    return out

def nn_functional_layer_norm(a0: "f32[1, 2, 3]", a1: "f32[1, 2, 3]", a2: "f32[1, 2, 3]"):
    out = torch.nn.functional.layer_norm(a0, (1, 2, 3), a1, a2, eps=0.5)
    return out

def nn_functional_leaky_relu(a0: "f32[10, 10]"):
    out = torch.nn.functional.leaky_relu(a0)
    return out

def nn_functional_linear(a0: "f32[3]", a1: "f32[4, 3]", a2: "f32[4]"):
    out = torch.nn.functional.linear(a0, a1, a2)
    return out

def nn_functional_local_response_norm(a0: "f32[1, 6, 3]"):
    out = torch.nn.functional.local_response_norm(a0, 2, alpha=3e-05, beta=0.5, k=1.25)
    return out

def nn_functional_logsigmoid(a0: "f32[20]"):
    out = torch.nn.functional.logsigmoid(a0)
    return out

def nn_functional_margin_ranking_loss(a0: "f32[5]", a1: "f32[5]", a2: "f32[5]"):
    out = torch.nn.functional.margin_ranking_loss(a0, a1, a2, margin=0.0, reduction='sum')
    return out

def nn_functional_max_pool1d(a0: "f32[1, 2, 3]"):
    out = torch.nn.functional.max_pool1d(a0, kernel_size=3, stride=2, ceil_mode=True, padding=0, dilation=1, return_indices=True)
    return out

def nn_functional_max_pool2d(a0: "f32[1, 2, 3, 6]"):
    out = torch.nn.functional.max_pool2d(a0, kernel_size=3, stride=2, ceil_mode=True, padding=0, dilation=1, return_indices=True)
    return out

def nn_functional_max_pool3d(a0: "f32[1, 2, 3, 6, 5]"):
    out = torch.nn.functional.max_pool3d(a0, kernel_size=3, stride=2, ceil_mode=True, padding=0, dilation=1, return_indices=True)
    return out

def nn_functional_mish(a0: "f32[20]"):
    out = torch.nn.functional.mish(a0)
    return out

def nn_functional_mse_loss(a0: "f32[5]", a1: "f32[5]"):
    out = torch.nn.functional.mse_loss(a0, a1, reduction='mean')
    return out

def nn_functional_multilabel_margin_loss(a0: "f32[5]", a1: "i64[5]"):
    out = torch.nn.functional.multilabel_margin_loss(a0, a1)
    return out

def nn_functional_nll_loss(a0: "f32[2, 3]", a1: "i64[2]"):
    out = torch.nn.functional.nll_loss(a0, a1, reduction='none')
    return out

def nn_functional_normalize(a0: "f32[2, 1, 4, 5]"):
    out = torch.nn.functional.normalize(a0, p=1.0, dim=2)
    return out

def nn_functional_pad__circular(a0: "f32[1, 3, 3]"):
    out = torch.nn.functional.pad(a0, (0, 1), 'circular')
    return out

def nn_functional_pad__constant(a0: "f32[1, 3, 3]"):
    out = torch.nn.functional.pad(a0, (2, 2))
    return out

def nn_functional_pad__reflect(a0: "f32[1, 3]"):
    out = torch.nn.functional.pad(a0, (1, 2), 'reflect')
    return out

def nn_functional_pad__replicate(a0: "f32[1, 3]"):
    out = torch.nn.functional.pad(a0, (1, 2), 'replicate')
    return out

def nn_functional_pad__replicate_negative(a0: "f32[5, 3, 4, 4]"):
    out = torch.nn.functional.pad(a0, (-4, 5, 0, 0), 'replicate')
    return out

def nn_functional_pairwise_distance(a0: "f32[3]", a1: "f32[3]"):
    out = torch.nn.functional.pairwise_distance(a0, a1)
    return out

def nn_functional_pixel_shuffle(a0: "f32[1, 9, 2, 2]"):
    out = torch.nn.functional.pixel_shuffle(a0, upscale_factor=1)
    return out

def nn_functional_pixel_unshuffle(a0: "f32[1, 1, 6, 6]"):
    out = torch.nn.functional.pixel_unshuffle(a0, downscale_factor=1)
    return out

def nn_functional_poisson_nll_loss(a0: "f32[5]", a1: "f32[5]"):
    out = torch.nn.functional.poisson_nll_loss(a0, a1, log_input=True, full=True, reduction='none')
    return out

def nn_functional_prelu(a0: "f32[5]", a1: "f32[1]"):
    out = torch.nn.functional.prelu(a0, a1)
    return out

def nn_functional_relu(a0: "f32[5]"):
    out = torch.nn.functional.relu(a0)
    return out

def nn_functional_relu6(a0: "f32[20]"):
    out = torch.nn.functional.relu6(a0)
    return out

def nn_functional_rms_norm(a0: "f32[1, 2, 3]", a1: "f32[1, 2, 3]"):
    out = torch.nn.functional.rms_norm(a0, (1, 2, 3), a1, eps=0.5)
    return out

def nn_functional_scaled_dot_product_attention(a0: "f32[4, 3, 8]", a1: "f32[4, 6, 8]", a2: "f32[4, 6, 8]"):
    out = torch.nn.functional.scaled_dot_product_attention(a0, a1, a2, is_causal=True, dropout_p=0.0)
    return out

def nn_functional_selu(a0: "f32[20]"):
    out = torch.nn.functional.selu(a0)
    return out

def nn_functional_silu(a0: "f32[20]"):
    out = torch.nn.functional.silu(a0)
    return out

def nn_functional_smooth_l1_loss(a0: "f32[5]", a1: "f32[5]"):
    out = torch.nn.functional.smooth_l1_loss(a0, a1, reduction='mean')
    return out

def nn_functional_softmin(a0: "f32[5]"):
    out = torch.nn.functional.softmin(a0, 0)
    return out

def nn_functional_softmin__with_dtype(a0: "f32[5]"):
    out = torch.nn.functional.softmin(a0, 0, dtype=torch.float64)
    return out

def nn_functional_softplus(a0: "f32[20]"):
    out = torch.nn.functional.softplus(a0, beta=3, threshold=0.2)
    return out

def nn_functional_softshrink(a0: "f32[5, 5]"):
    out = torch.nn.functional.softshrink(a0, lambd=0.0)
    return out

def nn_functional_softsign(a0: "f32[20]"):
    out = torch.nn.functional.softsign(a0)
    return out

def nn_functional_tanhshrink(a0: "f32[20]"):
    out = torch.nn.functional.tanhshrink(a0)
    return out

def nn_functional_threshold(a0: "f32[5]"):
    out = torch.nn.functional.threshold(a0, 3.611605167388916, -8.067646980285645)
    return out

def nn_functional_triplet_margin_loss(a0: "f32[5, 10]", a1: "f32[5, 10]", a2: "f32[5, 10]"):
    out = torch.nn.functional.triplet_margin_loss(a0, a1, a2, margin=1e-06)
    return out

def nn_functional_unfold(a0: "f32[2, 3, 5, 5]"):
    out = torch.nn.functional.unfold(a0, 2, 2, 0, 1)
    return out

def nn_functional_upsample_bilinear(a0: "f32[2, 3, 4, 4]"):
    out = torch.nn.functional.upsample_bilinear(a0, size=(3, 3))
    return out

def nn_functional_upsample_nearest(a0: "f32[2, 3, 4]"):
    out = torch.nn.functional.upsample_nearest(a0, size=(3,))
    return out

def norm(a0: "f32[5, 5]"):
    out = torch.norm(a0, 2)
    return out

def norm__fro(a0: "f32[5, 5]"):
    out = torch.norm(a0)
    return out

def norm__inf(a0: "f32[5, 5]"):
    out = torch.norm(a0, float('-inf'))
    return out

def ones():
    out = torch.ones((10,), dtype=torch.float32, device='cpu')
    return out

def ones_like(a0: "f32[5, 5]"):
    out = torch.ones_like(a0)
    return out

def outer(a0: "f32[5]", a1: "f32[10]"):
    out = torch.outer(a0, a1)
    return out

def permute(a0: "f32[1, 2, 3, 4]"):
    out = torch.permute(a0, (0, 2, 3, 1))
    return out

def pow(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.pow(a0, a1)
    return out

def prod(a0: "f32[5, 5, 5]"):
    out = torch.prod(a0)
    return out

def rad2deg(a0: "f32[20, 20]"):
    out = torch.rad2deg(a0)
    return out

def real(a0: "f32[20]"):
    out = torch.real(a0)
    return out

def reciprocal(a0: "f32[20]"):
    out = torch.reciprocal(a0)
    return out

def remainder(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.remainder(a0, a1)
    return out

def renorm(a0: "f32[5, 5, 5]"):
    out = torch.renorm(a0, 2, 1, 0.5)
    return out

def repeat(a0: "f32[2]"):
    out = a0.repeat((0,))
    return out

def repeat_interleave(a0: "f32[2, 3, 4]"):
    out = torch.repeat_interleave(a0, repeats=2)
    return out

def reshape(a0: "f32[5, 5, 5]"):
    out = torch.reshape(a0, (25, 5))
    return out

def roll(a0: "f32[5, 5, 5]"):
    out = torch.roll(a0, 0, 0)
    return out

def rot90(a0: "f32[5, 5, 5]"):
    out = torch.rot90(a0)
    return out

def round(a0: "f32[20, 20]"):
    out = torch.round(a0)
    return out

def round__decimals_0(a0: "f32[20]"):
    out = torch.round(a0, decimals=0)
    return out

def round__decimals_3(a0: "f32[20]"):
    out = torch.round(a0, decimals=3)
    return out

def round__decimals_neg_3(a0: "f32[20]"):
    out = torch.round(a0, decimals=-3)
    return out

def rsqrt(a0: "f32[20]"):
    out = torch.rsqrt(a0)
    return out

def scatter(a0: "f32[10, 5]", a1: "i64[5, 5]", a2: "f32[5, 5]"):
    out = torch.scatter(a0, 0, a1, a2)
    return out

def scatter_add(a0: "f32[10, 5]", a1: "i64[5, 5]", a2: "f32[5, 5]"):
    out = torch.scatter_add(a0, 0, a1, a2)
    return out

def scatter_reduce__amax(a0: "f32[10, 5]", a1: "i64[5, 5]", a2: "f32[5, 5]"):
    out = torch.scatter_reduce(a0, 0, a1, a2, 'amax', include_self=False)
    return out

def scatter_reduce__amin(a0: "f32[10, 5]", a1: "i64[5, 5]", a2: "f32[5, 5]"):
    out = torch.scatter_reduce(a0, 0, a1, a2, 'amin', include_self=False)
    return out

def scatter_reduce__mean(a0: "f32[10, 5]", a1: "i64[5, 5]", a2: "f32[5, 5]"):
    out = torch.scatter_reduce(a0, 0, a1, a2, 'mean', include_self=False)
    return out

def scatter_reduce__prod(a0: "f32[10, 5]", a1: "i64[5, 5]", a2: "f32[5, 5]"):
    out = torch.scatter_reduce(a0, 0, a1, a2, 'prod', include_self=False)
    return out

def scatter_reduce__sum(a0: "f32[10, 5]", a1: "i64[5, 5]", a2: "f32[5, 5]"):
    out = torch.scatter_reduce(a0, 0, a1, a2, 'sum', include_self=False)
    return out

def searchsorted(a0: "f32[10]", a1: "f32[10, 10]", a2: "i64[10]"):
    out = torch.searchsorted(a0, a1, out_int32=False, right=True, sorter=a2)
    return out

def select(a0: "f32[5, 5, 5]"):
    out = torch.select(a0, 1, 2)
    return out

def sigmoid(a0: "f32[20]"):
    out = torch.sigmoid(a0)
    return out

def sign(a0: "f32[20, 20]"):
    out = torch.sign(a0)
    return out

def signbit(a0: "f32[20, 20]"):
    out = torch.signbit(a0)
    return out

def sin(a0: "f32[20, 20]"):
    out = torch.sin(a0)
    return out

def sinh(a0: "f32[20, 20]"):
    out = torch.sinh(a0)
    return out

def softmax(a0: "f32[5]"):
    out = torch.softmax(a0, 0)
    return out

def softmax__with_dtype(a0: "f32[5]"):
    out = torch.softmax(a0, 0, dtype=torch.float64)
    return out

def sort(a0: "f32[5, 5, 5]"):
    out = torch.sort(a0, -3, True)
    return out

def special_xlog1py(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.special.xlog1py(a0, a1)
    return out

def special_zeta(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.special.zeta(a0, a1)
    return out

def split(a0: "f32[5, 5, 5]"):
    out = torch.split(a0, 2)
    return out

def split__list_args(a0: "f32[5, 5, 5]"):
    out = torch.split(a0, (1, 3, 1))
    return out

def split_with_sizes(a0: "f32[5, 5, 5]"):
    out = torch.split_with_sizes(a0, (1, 3, 1))
    return out

def sqrt(a0: "f32[20, 20]"):
    out = torch.sqrt(a0)
    return out

def square(a0: "f32[20]"):
    out = torch.square(a0)
    return out

def squeeze(a0: "f32[5, 1, 5, 1]"):
    out = torch.squeeze(a0)
    return out

def squeeze__multiple(a0: "f32[1, 1, 1, 1]"):
    out = torch.squeeze(a0, ())
    return out

def stack(a0: "f32[3, 4]"):
    out = torch.stack([a0], -1)
    return out

def std(a0: "f32[5, 5, 5]"):
    out = torch.std(a0)
    return out

def std__unbiased(a0: "f32[5, 5]"):
    out = torch.std(a0, True)
    return out

def std_mean(a0: "f32[5, 5, 5]"):
    out = torch.std_mean(a0)
    return out

def std_mean__unbiased(a0: "f32[5, 5]"):
    out = torch.std_mean(a0, True)
    return out

def sub(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.sub(a0, a1)
    return out

def sum(a0: "f32[2]"):
    out = torch.sum(a0)
    return out

def t(a0: "f32[1, 2]"):
    out = torch.t(a0)
    return out

def take(a0: "f32[3, 3]", a1: "i64[3]"):
    out = torch.take(a0, a1)
    return out

def take_along_dim(a0: "f32[5, 5]", a1: "i64[5, 5]"):
    out = torch.take_along_dim(a0, a1, 0)
    return out

def tan(a0: "f32[20, 20]"):
    out = torch.tan(a0)
    return out

def tanh(a0: "f32[20, 20]"):
    out = torch.tanh(a0)
    return out

def tensordot(a0: "f32[2, 2, 2]", a1: "f32[2, 2, 2]"):
    out = torch.tensordot(a0, a1, dims=2)
    return out

def tile(a0: "f32[3, 2]"):
    out = torch.tile(a0, ())
    return out

def topk(a0: "f32[5, 10, 5]"):
    out = torch.topk(a0, 3)
    return out

def trace(a0: "f32[5, 5]"):
    out = torch.trace(a0)
    return out

def transpose(a0: "f32[1, 2, 3]"):
    out = torch.transpose(a0, -1, -2)
    return out

def trapezoid(a0: "f32[2, 3]", a1: "f32[2, 3]"):
    out = torch.trapezoid(a0, a1)
    return out

def fill_diagonal_(a0: "f32[7, 3]"):
    out = a0.fill_diagonal_(2.5, wrap=True)
    return out

def tril(a0: "f32[10, 10]"):
    out = torch.tril(a0)
    return out

def tril_indices():
    out = torch.tril_indices(0, 0, dtype=torch.int64, device='cpu')
    return out

def triu(a0: "f32[10, 10]"):
    out = torch.triu(a0)
    return out

def true_divide(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.true_divide(a0, a1)
    return out

def trunc(a0: "f32[20, 20]"):
    out = torch.trunc(a0)
    return out

def unbind(a0: "f32[5]"):
    out = torch.unbind(a0, 0)
    return out

def unflatten(a0: "f32[8]"):
    out = torch.unflatten(a0, 0, (8,))
    return out

def unfold(a0: "f32[5, 5, 5, 5]"):
    out = a0.unfold(0, 3, 1)
    return out

def unsqueeze(a0: "f32[3, 4, 5]"):
    out = torch.unsqueeze(a0, 0)
    return out

def var(a0: "f32[5, 5, 5]"):
    out = torch.var(a0)
    return out

def var__unbiased(a0: "f32[5, 5]"):
    out = torch.var(a0, True)
    return out

def var_mean(a0: "f32[5, 5, 5]"):
    out = torch.var_mean(a0)
    return out

def var_mean__unbiased(a0: "f32[5, 5]"):
    out = torch.var_mean(a0, True)
    return out

def view(a0: "f32[5, 5, 5]"):
    out = a0.view((25, 5))
    return out

def view_as(a0: "f32[5, 5, 5]", a1: "f32[25, 5]"):
    out = a0.view_as(a1)
    return out

def vstack(a0: "f32[5]", a1: "f32[5]", a2: "f32[5]"):
    out = torch.vstack((a0, a1, a2,))
    return out

def where(a0: "b8[10, 10]", a1: "b8[10, 10]", a2: "b8[10, 10]"):
    out = torch.where(a0, a1, a2)
    return out

def xlogy(a0: "f32[5, 10, 5]", a1: "f32[10, 5]"):
    out = torch.xlogy(a0, a1)
    return out

def zero_(a0: "i64[]"):
    out = torch.zero_(a0)
    return out

def zeros():
    out = torch.zeros((10,), dtype=torch.float32, device='cpu')
    return out

def zeros_like(a0: "f32[5, 5]"):
    out = torch.zeros_like(a0)
    return out

def nonzero(a0: "f32[2, 3]"):
    out = torch.nonzero(a0)
    return out

def argwhere(a0: "f32[2, 3]"):
    out = torch.argwhere(a0)
    return out

def masked_select(a0: "f32[2, 3]", a1: "b8[3]"):
    out = torch.masked_select(a0, a1)
    return out

def unique(a0: "f32[2, 3]"):
    out = torch.unique(a0, return_inverse=True, return_counts=True)
    return out

def unique_consecutive(a0: "i64[5]"):
    out = torch.unique_consecutive(a0, return_counts=True)
    return out

def _unique2(a0: "f32[4]"):
    out = torch.ops.aten._unique2.default(a0)
    return out

def unique_dim(a0: "f32[4, 2]"):
    out = torch.ops.aten.unique_dim.default(a0, 0)
    return out
