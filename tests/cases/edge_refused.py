import torch
from math import inf, nan

def case0(x: "f32[3, 4]", i: "i64[1, 4]"):
    out = torch.gather(x, 0, i)
    return (out,)

def case1(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.index_select(x, 0, i)
    return (out,)

def case2(x: "f32[3, 4]", i: "i32[2]"):
    out = torch.index_select(x, 0, i)
    return (out,)

def case4(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.take_along_dim(x, i)
    return (out,)

def case13(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.nn.functional.embedding(i, x)
    return (out,)

def case14(x: "f32[3, 4]", i: "i64[2]", o: "i64[2]"):
    out = torch.nn.functional.embedding_bag(i, x, o, mode='max')
    return (out,)

def case15(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter(x, 0, i, s)
    return (out,)

def case16(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter_add(x, 0, i, s)
    return (out,)

def case17(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter_reduce(x, 0, i, s, 'amax')
    return (out,)

def case18(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_add(x, 0, i, s)
    return (out,)

def case19(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_copy(x, 0, i, s)
    return (out,)

def case23(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.cross_entropy(x, i)
    return (out,)

def case24(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.cross_entropy(x, i, ignore_index=-3)
    return (out,)

def case25(i: "i64[2]"):
    out = torch.nn.functional.one_hot(i, 3)
    return (out,)

def case26(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.multi_margin_loss(x, i)
    return (out,)

def case28(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.repeat_interleave(x, i, 0)
    return (out,)

def case29(x: "f32[3, 4]", i: "i64[1, 3, 4]"):
    out = torch.nn.functional.max_unpool1d(x[None], i, 2)
    return (out,)

def case30(x: "f32[3, 4]", i: "i64[1, 4]"):
    out = torch.gather(x, 0, i)
    return (out,)

def case31(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.index_select(x, 0, i)
    return (out,)

def case32(x: "f32[3, 4]", i: "i32[2]"):
    out = torch.index_select(x, 0, i)
    return (out,)

def case34(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.take_along_dim(x, i)
    return (out,)

def case43(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.nn.functional.embedding(i, x)
    return (out,)

def case44(x: "f32[3, 4]", i: "i64[2]", o: "i64[2]"):
    out = torch.nn.functional.embedding_bag(i, x, o, mode='max')
    return (out,)

def case45(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter(x, 0, i, s)
    return (out,)

def case46(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter_add(x, 0, i, s)
    return (out,)

def case47(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter_reduce(x, 0, i, s, 'amax')
    return (out,)

def case48(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_add(x, 0, i, s)
    return (out,)

def case49(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_copy(x, 0, i, s)
    return (out,)

def case53(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.cross_entropy(x, i)
    return (out,)

def case55(i: "i64[2]"):
    out = torch.nn.functional.one_hot(i, 3)
    return (out,)

def case56(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.multi_margin_loss(x, i)
    return (out,)

def case57(x: "f32[3, 4]", i: "i64[3, 4]"):
    out = torch.nn.functional.multilabel_margin_loss(x, i)
    return (out,)

def case58(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.repeat_interleave(x, i, 0)
    return (out,)

def case59(x: "f32[3, 4]", i: "i64[1, 3, 4]"):
    out = torch.nn.functional.max_unpool1d(x[None], i, 2)
    return (out,)

def case60(x: "f32[3, 4]", i: "i64[1, 4]"):
    out = torch.gather(x, 0, i)
    return (out,)

def case61(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.index_select(x, 0, i)
    return (out,)

def case62(x: "f32[3, 4]", i: "i32[2]"):
    out = torch.index_select(x, 0, i)
    return (out,)

def case64(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.take_along_dim(x, i)
    return (out,)

def case66(x: "f32[3, 4]", i: "i64[2]"):
    out = x[i]
    return (out,)

def case67(x: "f32[3, 4]", i: "i64[]"):
    out = x[i]
    return (out,)

def case69(x: "f32[3, 4]", i: "i64[2]"):
    out = x[i, i]
    return (out,)

def case70(x: "f32[3, 4]"):
    out = x[[0, -4]]
    return (out,)

def case71(x: "f32[3, 4]"):
    x[[0, -4]] = 5.0
    out = x
    return (out,)

def case72(x: "f32[3, 4]", i: "i64[2]"):
    x[i] = 5.0
    out = x
    return (out,)

def case73(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.nn.functional.embedding(i, x)
    return (out,)

def case74(x: "f32[3, 4]", i: "i64[2]", o: "i64[2]"):
    out = torch.nn.functional.embedding_bag(i, x, o, mode='max')
    return (out,)

def case75(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter(x, 0, i, s)
    return (out,)

def case76(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter_add(x, 0, i, s)
    return (out,)

def case77(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter_reduce(x, 0, i, s, 'amax')
    return (out,)

def case78(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_add(x, 0, i, s)
    return (out,)

def case79(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_copy(x, 0, i, s)
    return (out,)

def case80(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.index_fill(x, 0, i, 2.0)
    return (out,)

def case81(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_put(x, (i,), s)
    return (out,)

def case82(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.index_put(x, (i, i), s, True)
    return (out,)

def case83(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.cross_entropy(x, i)
    return (out,)

def case84(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.cross_entropy(x, i, ignore_index=-3)
    return (out,)

def case85(i: "i64[2]"):
    out = torch.nn.functional.one_hot(i, 3)
    return (out,)

def case86(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.multi_margin_loss(x, i)
    return (out,)

def case87(x: "f32[3, 4]", i: "i64[3, 4]"):
    out = torch.nn.functional.multilabel_margin_loss(x, i)
    return (out,)

def case88(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.repeat_interleave(x, i, 0)
    return (out,)

def case89(x: "f32[3, 4]", i: "i64[1, 3, 4]"):
    out = torch.nn.functional.max_unpool1d(x[None], i, 2)
    return (out,)

def case90(x: "f32[3, 4]", i: "i64[1, 4]"):
    out = torch.gather(x, 0, i)
    return (out,)

def case91(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.index_select(x, 0, i)
    return (out,)

def case92(x: "f32[3, 4]", i: "i32[2]"):
    out = torch.index_select(x, 0, i)
    return (out,)

def case96(x: "f32[3, 4]", i: "i64[2]"):
    out = x[i]
    return (out,)

def case97(x: "f32[3, 4]", i: "i64[]"):
    out = x[i]
    return (out,)

def case99(x: "f32[3, 4]", i: "i64[2]"):
    out = x[i, i]
    return (out,)

def case100(x: "f32[3, 4]"):
    out = x[[0, 3]]
    return (out,)

def case101(x: "f32[3, 4]"):
    x[[0, 3]] = 5.0
    out = x
    return (out,)

def case102(x: "f32[3, 4]", i: "i64[2]"):
    x[i] = 5.0
    out = x
    return (out,)

def case103(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.nn.functional.embedding(i, x)
    return (out,)

def case104(x: "f32[3, 4]", i: "i64[2]", o: "i64[2]"):
    out = torch.nn.functional.embedding_bag(i, x, o, mode='max')
    return (out,)

def case105(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter(x, 0, i, s)
    return (out,)

def case106(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter_add(x, 0, i, s)
    return (out,)

def case107(x: "f32[3, 4]", i: "i64[1, 4]", s: "f32[1, 4]"):
    out = torch.scatter_reduce(x, 0, i, s, 'amax')
    return (out,)

def case108(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_add(x, 0, i, s)
    return (out,)

def case109(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_copy(x, 0, i, s)
    return (out,)

def case110(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.index_fill(x, 0, i, 2.0)
    return (out,)

def case111(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_put(x, (i,), s)
    return (out,)

def case112(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.index_put(x, (i, i), s, True)
    return (out,)

def case115(i: "i64[2]"):
    out = torch.nn.functional.one_hot(i, 3)
    return (out,)

def case121(x: "f32[3, 4]", m: "b8[3, 4]", s: "f32[1, 4]"):
    out = torch.ops.aten.masked_scatter.default(x, m, s)
    return (out,)

def case221(x: "f32[1, 3]"):
    out = torch.nn.functional.batch_norm(x, None, None, training=True)
    return (out,)

def case228(m: "b8[4]", x: "f32[4]"):
    out = m - x
    return (out,)

def case229(m: "b8[4]", x: "f32[4]"):
    out = x - m
    return (out,)

def case230(m: "b8[4]", x: "f32[4]"):
    out = 2 - m
    return (out,)

def case231(m: "b8[4]", x: "f32[4]"):
    out = m - m
    return (out,)

def case232(m: "b8[4]", x: "f32[4]"):
    out = torch.rsub(m, 2.5)
    return (out,)

def case340(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amax')
    return (out,)

def case343(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amax')
    return (out,)

def case346(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amax')
    return (out,)

def case347(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s)
    return (out,)

def case348(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s, True)
    return (out,)

def case349(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amax')
    return (out,)

def case352(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amax')
    return (out,)

def case353(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s)
    return (out,)

def case354(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s, True)
    return (out,)

def case355(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amax')
    return (out,)

def case356(x: "f32[3, 4]", i: "i64[2]", s: "f32[1]"):
    out = torch.put(x, i, s)
    return (out,)

def case357(x: "f32[3, 4]", i: "i64[2]", s: "i64[2]"):
    out = torch.put(x, i, s)
    return (out,)

def case359(x: "f32[3, 4]", i: "i32[2]", s: "f32[2]"):
    out = torch.put(x, i, s)
    return (out,)

def case360(x: "f32[3, 4]", i: "i64[1]", s: "f32[1]"):
    out = torch.put(x[:0], i, s)
    return (out,)

def case361(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'sum')
    return (out,)

def case362(x: "bf16[3, 4]", i: "i64[2]", s: "bf16[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'sum')
    return (out,)

def case363(x: "i32[3, 4]", i: "i64[2]", s: "i32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'sum')
    return (out,)

def case364(x: "u8[3, 4]", i: "i64[2]", s: "u8[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'sum')
    return (out,)

def case377(x: "f32[3, 4]", i: "i64[1]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case378(x: "f32[3, 4]", i: "i64[1, 2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case379(x: "f32[3, 4]", i: "i64[2]", s: "i64[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case380(x: "f32[3, 4]", i: "f32[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case381(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 2]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case382(x: "f32[3, 4]", i: "i64[]", s: "f32[4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case398(x: "f32[3, 4]"):
    out = torch.quantile(x.detach(), 1.5)
    return (out,)

def case399(x: "f32[2, 4]"):
    out = torch.quantile(x, 1.5)
    return (out,)

def case400(x: "f32[3, 4]"):
    out = torch.quantile(x.detach(), -0.1)
    return (out,)

def case401(x: "f32[2, 4]"):
    out = torch.quantile(x, -0.1)
    return (out,)

def case402(x: "f32[3, 4]"):
    out = torch.quantile(x.detach(), 0.5, 2)
    return (out,)

def case403(x: "f32[2, 4]"):
    out = torch.quantile(x, 0.5, 2)
    return (out,)

def case404(x: "f32[3, 4]"):
    out = torch.quantile(x.detach(), 0.5, interpolation='other')
    return (out,)

def case405(x: "f32[2, 4]"):
    out = torch.quantile(x, 0.5, interpolation='other')
    return (out,)

def case406(x: "f32[3, 4]"):
    out = torch.nanmedian(x.detach(), 2)
    return (out,)

def case407(x: "f32[2, 4]"):
    out = torch.nanmedian(x, 2)
    return (out,)

def case408(x: "f32[3, 4]"):
    out = torch.quantile(x.detach(), nan)
    return (out,)

def case409(x: "f32[2, 4]"):
    out = torch.quantile(x, nan)
    return (out,)

def case410(x: "f32[3, 4]", q: "f32[1, 1]"):
    out = torch.quantile(x, q)
    return (out,)

def case411(x: "f32[3, 4]", q: "f64[1]"):
    out = torch.quantile(x, q)
    return (out,)

def case412(x: "f32[3, 4]", q: "f32[2]"):
    out = torch.quantile(x, q)
    return (out,)

def case413(x: "f32[3, 4]", q: "f32[1]"):
    out = torch.quantile(x, q)
    return (out,)

def case415(x: "bf16[3, 4]"):
    out = torch.quantile(x, 0.5, 0)
    return (out,)

def case420(x: "bf16[3, 4]"):
    out = torch.linalg.vander(x, N=3)
    return (out,)

def case421(x: "bf16[3, 4]"):
    out = torch.vander(x.detach())
    return (out,)

def case425(x: "bf16[3, 4]"):
    out = torch.special.erfcx(x)
    return (out,)

def case426(x: "bf16[3, 4]"):
    out = torch.special.log_ndtr(x)
    return (out,)

def case427(x: "i64[3, 4]"):
    out = torch.quantile(x, 0.5, 0)
    return (out,)

def case433(x: "i64[3, 4]"):
    out = torch.vander(x.detach())
    return (out,)

def case439(x: "f32[0, 4]"):
    out = torch.quantile(x, 0.5, 0)
    return (out,)

def case441(x: "f32[0, 4]"):
    out = torch.nanmedian(x, 0)[0]
    return (out,)

def case442(x: "f32[0, 4]"):
    out = torch.median(x, 0)[0]
    return (out,)

def case445(x: "f32[0, 4]"):
    out = torch.vander(x.detach())
    return (out,)

def case451(x: "b8[2]"):
    out = torch.quantile(x, 0.5, 0)
    return (out,)

def case452(x: "b8[2]"):
    out = torch.nanmedian(x)
    return (out,)

def case453(x: "b8[2]"):
    out = torch.nanmedian(x, 0)[0]
    return (out,)

def case454(x: "b8[2]"):
    out = torch.median(x, 0)[0]
    return (out,)

def case455(x: "b8[2]"):
    out = torch.corrcoef(x.detach())
    return (out,)

def case456(x: "b8[2]"):
    out = torch.linalg.vander(x, N=3)
    return (out,)

def case469(x: "f32[]"):
    out = torch.vander(x.detach())
    return (out,)

def case475(x: "f32[2, 0]"):
    out = torch.quantile(x, 0.5, 0)
    return (out,)

def case481(x: "f32[2, 0]"):
    out = torch.vander(x.detach())
    return (out,)

def case487(x: "f32[4]"):
    out = torch.vander(x.detach(), -1)
    return (out,)

def case490(x: "f32[4]"):
    out = torch.linalg.vander(x, N=1)
    return (out,)

def case491(x: "f32[3, 4]"):
    out = torch.corrcoef(x[None])
    return (out,)
