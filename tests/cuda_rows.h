/*
 * cuda_rows.h - a program for each way in which kernels are laid over threads: see cuda_plan.c and
 * product.c for what each must cope with.
 *
 *    name (of its golden text), program, how far a result may be from the oracle's
 */
/* clang-format off */
{"map_broadcast",
 "def f(x: \"f32[33, 1024]\", y: \"f32[1024]\"):\n    return (torch.exp(x) * y + 1,)\n", 2e-5},
{"softmax_bf16",
 "def f(x: \"bf16[64, 512]\"):\n    return (torch.softmax(x, -1),)\n", 2e-2},
{"softmax_ragged",
 "def f(x: \"bf16[70, 300]\"):\n    return (torch.softmax(x, -1), x.amax(1))\n", 2e-2},
{"sums",
 "def f(x: \"f32[5, 7]\"):\n    return (x.sum(1), x.mean(), x.sum(0))\n", 2e-5},
{"columns_full",
 "def f(x: \"f32[300, 64]\", w: \"f32[64]\"):\n"
 "    m = x.mean(0)\n    return (m, (x - m) * w, x.amax(0))\n", 2e-5},
{"columns_middle",
 "def f(x: \"bf16[3, 1000, 64]\"):\n    return (x.sum(1), torch.softmax(x, 1))\n", 2e-2},
{"windows",
 "def f(x: \"bf16[40, 512]\", y: \"f32[37, 96]\", z: \"f32[64, 256, 3]\"):\n"
 "    a = x[:, ::2] + x[:, 1::2]\n    b = torch.flip(y, [1]) * y\n"
 "    return (a, b, torch.exp(x[:, 3::4]), z[:, :, 1] * 2, z[:, :, 2].sum(1), b.sum(1),\n"
 "            (x[1:, ::2] * x[:-1, 1::2]).sum(1), torch.flip(x, [1])[:, ::2] * 2)\n", 2e-2},
{"windows_at_the_end",
 "def f(x: \"f32[255]\", y: \"f32[8, 60]\"):\n"
 "    return (x[::2] * 2, x[2::4] + 1, torch.flip(y[:, ::5], [1]) + 1, y[:, 4::2] * 3,\n"
 "            torch.flip(y, [0, 1])[:, 3::2] * 2)\n", 2e-5},
{"columns_turned",
 "def f(x: \"bf16[320, 192]\", y: \"bf16[192, 320]\"):\n"
 "    return ((x.t() + y).amax(1),)\n", 2e-2},
{"columns_turned_ragged",
 "def f(x: \"f32[3, 100, 68]\", y: \"f32[3, 68, 100]\", w: \"f32[100]\", b: \"f32[68, 1]\"):\n"
 "    return (((x.transpose(1, 2) * y + b) * w).sum(2),)\n", 2e-5},
{"columns_turned_two_loops",
 "def f(x: \"f32[3, 100, 68]\", y: \"f32[3, 68, 100]\"):\n"
 "    return ((x.transpose(1, 2) - y).amax((0, 2)),)\n", 2e-5},
{"columns_turned_long",
 "def f(x: \"f16[3000, 72]\", y: \"f32[72, 3000]\"):\n"
 "    return ((x.t() * y).sum(1), )\n", 2e-3},
{"late_factors",
 "def f(x: \"f32[40, 300]\", g: \"f32[40, 300]\"):\n"
 "    r = torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-3)\n"
 "    s = (g * (x * r) * r * 3).sum(1, keepdim=True)\n    return (g - x * s, (r * r).sum())\n",
 2e-5},
{"rows_long",
 "def f(x: \"f32[2, 100000]\"):\n    return (torch.softmax(x, 1), x.sum(1))\n", 2e-5},
{"sums_long",
 "def f(x: \"f32[100000]\"):\n    return (x.sum(), x.var(), (x > 0).any())\n", 2e-5},
{"draws",
 "def f(x: \"f32[37, 300]\"):\n"
 "    a = torch.rand(37, 300, dtype=torch.float16) * 2\n"
 "    b = torch.empty(37, 300, dtype=torch.bfloat16).uniform_(-1, 3) * 2\n"
 "    i = torch.randint(-3, 90, (37, 300)) * 2\n"
 "    e = torch.rand(5, 9, dtype=torch.float64) + 1\n"
 "    return (torch.randn(37, 300) * x, a, b, i, e, torch.randn(300, dtype=torch.float16))\n",
 1e-7},
{"scan_rows",
 "def f(x: \"f32[5, 3000]\", y: \"bf16[3, 777]\"):\n"
 "    return (x.cumsum(1), y.cumprod(-1), x.cummax(1)[0], x.cummin(1)[1])\n", 2e-2},
{"scan_columns",
 "def f(x: \"f32[300, 40]\", y: \"i32[2, 70, 9]\"):\n"
 "    a, b = torch.cummax(y, 1)\n    return (x.cumsum(0), a, b, x.cumprod(1))\n", 2e-5},
{"scan_long",
 "def f(x: \"f32[3, 40000]\", y: \"f16[70000]\"):\n"
 "    return (x.cumsum(1), y.cummin(0)[1], y.cummin(0)[0])\n", 2e-5},
{"scan_longest", "def f(x: \"f32[1200000]\"):\n    return (x.cumsum(0),)\n", 2e-5},
{"scan_turned",
 "def f(x: \"f32[6, 500]\", y: \"f32[500, 6]\"):\n"
 "    a = torch.flip(torch.cumsum(torch.flip(x, [1]), 1), [1])\n"
 "    return (a, torch.flip(torch.cumsum(torch.flip(y, [0]), 0), [0]))\n", 2e-5},
{"sorted",
 "def f(x: \"f32[5, 300]\", y: \"bf16[70, 9]\", z: \"i32[3, 64]\"):\n"
 "    a, b = torch.sort(x, 1, descending=True)\n"
 "    c, e = torch.sort(y, dim=0, stable=True)\n"
 "    return (a, b, c, e, torch.argsort(z % 5, 1, stable=True))\n", 0},
{"sorted_long",
 "def f(x: \"f32[2, 9000]\", y: \"i64[17000]\", z: \"f16[4100, 2]\"):\n"
 "    a, b = torch.sort(x, 1)\n"
 "    c, e = torch.sort(y % 100, 0, descending=True)\n"
 "    g, h = torch.sort(z, dim=0, stable=True)\n"
 "    return (a, b, c, e, g, h, torch.sort(torch.log(x), 1, descending=True)[1])\n", 0},
{"largest",
 "def f(x: \"f32[3, 50]\", y: \"f32[2, 9001]\", z: \"bf16[6000, 3]\", w: \"f32[1, 40000]\"):\n"
 "    a, b = torch.topk(x, 7)\n"
 "    c, e = torch.topk(torch.log(y), 50, largest=True)\n"
 "    g = torch.topk(z, 5, 0, largest=False)[0]\n"
 "    h, i = torch.topk(w, 1000, -1)\n"
 "    j, k = torch.topk(y, 2000)[1], torch.topk(y, 9001, largest=False)[0]\n"
 "    return (a, b, c, g, h, i, j, k)\n",
 0},
{"kth",
 "def f(x: \"f32[5, 301]\", y: \"f64[9000, 2]\", z: \"i32[3, 5000]\"):\n"
 "    a, b = torch.kthvalue(x, 17)\n"
 "    c, e = torch.kthvalue(y, 8000, 0)\n"
 "    g, h = torch.median(y, 0)\n"
 "    return (a, b, c, e, g, h, torch.kthvalue(z, 900, 1, True)[0], torch.median(x))\n", 0},
{"summed",
 "def f(a: \"f32[5, 7, 3]\", i: \"i64[40]\", v: \"f32[5, 40, 3]\", g: \"bf16[300, 16]\",\n"
 "      k: \"i64[9, 50]\", w: \"f32[9, 50]\", b: \"f32[20, 50]\", z: \"f32[4, 3]\",\n"
 "      n: \"i64[9000]\", o: \"f32[9000, 3]\", x: \"f32[300, 8]\", y: \"f32[6, 5, 8]\"):\n"
 "    j = n[:300] % 30\n"
 "    c = torch.index_add(a, 1, i % 7, v)\n"
 "    e = torch.ops.aten.embedding_dense_backward(g, j, 30, 3, False)\n"
 "    h = torch.scatter_add(b, 0, k % 20, w)\n"
 "    p = torch.index_put(y, (j % 6, j // 6), x, True)\n"
 "    return (c, e, h, p, torch.index_add(z, 0, n % 4, o))\n", 2e-2},
{"places",
 "def f(x: \"f32[37, 300]\", y: \"bf16[70, 64]\"):\n"
 "    return (x.argmax(1), (x * 2).argmin(-1), y.argmax(0), x.amax(1), y.argmin())\n", 0},
{"places_long",
 "def f(x: \"f32[3, 70000]\", y: \"i32[100000]\"):\n"
 "    return (x.argmax(1), y.argmax(), torch.softmax(x, 1).argmax(1))\n", 0},
{"places_equal",
 "def f(x: \"f32[9000, 8]\"):\n    a = torch.round(x * 2)\n    b = x * 0 - float('inf')\n"
 "    c = torch.where(x > 3, float('nan'), x)\n"
 "    return (a.argmax(0), a.argmin(0), b.argmax(0), c.argmin(0), a.argmax(), b.argmax(),\n"
 "            c.argmax(), a.amax(0))\n", 0},
{"mean_stored",
 "def f(x: \"f32[300, 256]\", y: \"f32[300, 256]\", c: \"f32[]\"):\n"
 "    t = torch.tanh(x)\n    e = t - y\n    g = e * (c / 38400)\n"
 "    return ((e * e).mean(), g, g * (1 - t * t))\n", 2e-5},
{"f8_scaled",
 "def f(x: \"bf16[33, 1024]\", s: \"f32[]\"):\n"
 "    return ((x * s).to(torch.float8_e4m3fn), (x * s).to(torch.float8_e5m2))\n", 0.15},
{"f8_read",
 "def f(x: \"f8_e4m3fn[64, 512]\", y: \"f8_e5m2[64, 512]\"):\n"
 "    a = x.to(torch.bfloat16) + y.to(torch.bfloat16)\n    return (a, a.amax(1), a.t() * 2)\n",
 2e-2},
{"layer_norm_f16",
 "def f(x: \"f16[4, 5000]\"):\n"
 "    return (torch.nn.functional.layer_norm(x, (5000,)),)\n", 2e-2},
{"moves",
 "def f(x: \"f32[6, 8]\"):\n    a = x.t() * 2\n    b = a.reshape(4, 12) + 1\n"
 "    c = torch.flip(x[1:5, ::2], (1,)) - 1\n    return (a, b, c)\n", 2e-5},
{"integers",
 "def f(x: \"i64[5, 4]\", y: \"i64[4]\"):\n    a = x * 3 - y\n    b = a // 7\n"
 "    c = torch.maximum(a, y).sum(0)\n    return (a, b, c, (a > 2) & (y < 3))\n", 0},
{"bytes",
 "def f(x: \"u8[40]\"):\n    a = x + 250\n    return (a, -a, a.sum(), ~a)\n", 0},
{"narrow_integers",
 "def f(x: \"u8[40]\", y: \"i16[3, 70]\", z: \"b8[5, 6]\", w: \"i8[64, 3]\"):\n"
 "    return (x.amax(), y.amin(1), z.amax(1), w.amax(0), z.any(0), y.amax(0))\n", 0},
{"both_and_middle",
 "def f(x: \"f32[2, 300, 40]\"):\n    m = x.mean((0, 2), keepdim=True)\n"
 "    return (x - m, m, x.amax((0, 1)), x.sum())\n", 2e-5},
{"nan",
 "def f(x: \"f32[3, 4]\"):\n    n = x / 0\n"
 "    return (torch.maximum(n - n, x), n.amax(1))\n", 2e-5},
{"f64",
 "def f(x: \"f64[9, 130]\", y: \"f64[130, 9]\"):\n"
 "    return (x + y.t(), torch.softmax(x, 0).sum(1))\n", 1e-12},
{"empty",
 "def f(x: \"f32[]\", y: \"f32[0, 4]\"):\n    return (x * 2, y + 1, y.sum(0))\n", 2e-5},
{"empty_rows",
 "def f(x: \"f32[0, 5]\", y: \"f32[5, 0]\"):\n    a = x * x.sum(1, True)\n"
 "    b = y * y.sum(0, True)\n"
 "    return (a, a.sum(0), torch.prod(a + 1, 0), b, b.sum(1), y.sum(0))\n", 2e-5},
{"cat_pad_random",
 "def f(x: \"f32[6, 48]\", c: \"f32[48]\"):\n    a, b = torch.split(x, 24, -1)\n"
 "    r = torch.cat((-b, a), -1)\n    p = torch.nn.functional.pad(x, (2, 3, 1, 0), value=2.0)\n"
 "    return (x * c + r * c, p * 2, torch.nn.functional.dropout(x, 0.4, True) + 1)\n", 2e-5},
{"columns_long",
 "def f(x: \"f32[8192, 128]\"):\n    return (x.sum(0), x.var(0), x * 2)\n", 2e-5},
{"gather_scatter",
 "def f(x: \"f32[6, 50]\"):\n    i = torch.argmax(x, 1, keepdim=True)\n"
 "    return (torch.gather(torch.log_softmax(x, 1), 1, (i + 3) % 50),\n"
 "            torch.scatter_add(x * 2, 1, i, i * 0.5), torch.scatter(x, 1, i, 3.0))\n", 2e-5},
{"gather_where_a_fold_says",
 "def f(x: \"f32[6, 51]\", q: \"f32[51]\"):\n    n = x.sum(1, keepdim=True)\n"
 "    i = torch.where(n > 0, 2.0, q.abs() * 9).to(torch.int64) % 51\n"
 "    return (torch.gather(x, 1, i) * 2, n)\n", 2e-5},
{"embedding",
 "def f(w: \"f32[7, 24]\", x: \"f32[5, 9]\"):\n    i = torch.argmax(x, 1)\n"
 "    a = torch.nn.functional.embedding(i % 7, w)\n"
 "    return (a * 2, torch.index_select(w, 0, i % 7) + 1, torch.index_select(w, 1, i))\n",
 2e-5},
{"cross_entropy",
 "def f(x: \"bf16[40, 1000]\", t: \"f32[40]\"):\n    i = (t.abs() * 100).to(torch.int64)\n"
 "    return (torch.nn.functional.cross_entropy(x.float(), i % 1000, reduction='none'),)\n",
 2e-2},
{"norm_backward",
 "def f(x: \"bf16[70, 1024]\", g: \"bf16[70, 1024]\", w: \"bf16[1024]\"):\n"
 "    a = x.float() - x.float().mean(1, keepdim=True)\n    b = g.float() * w\n"
 "    c = b - (b * a).sum(1, keepdim=True) / 1024 * a\n"
 "    return (c.to(torch.bfloat16), (g * a).sum(0), g.float().sum(0), (a * a).amax(0))\n",
 3e-2},
{"across_small",
 "def f(x: \"f32[300, 30]\"):\n    return (x.sum(1), x.sum(0), torch.softmax(x, 1))\n", 2e-5},
{"across_square",
 "def f(x: \"f32[64, 64]\"):\n    a = torch.softmax(x, 1)\n"
 "    return (a.sum(0), x.amax(1), a * 2)\n", 2e-5},
{"across_three",
 "def f(x: \"f32[3, 40, 77]\"):\n    a = x - x.mean(2, keepdim=True)\n"
 "    return (a, a.sum((0, 1)), a.abs().amax((0, 1)))\n", 2e-5},
{"wholes_of_rows",
 "def f(x: \"bf16[70, 512]\", t: \"bf16[70, 512]\", w: \"bf16[512]\"):\n"
 "    n = torch.nn.functional.layer_norm(x.float(), (512,), w.float())\n    d = n - t\n"
 "    m = (d * d).mean()\n"
 "    return (n, m * 2 + 1, d.abs().amax(), (d * n).sum(0), d.sum(1))\n",
 3e-2},
{"wholes_of_columns",
 "def f(x: \"f32[200, 72]\"):\n    m = x.mean(0)\n    d = x - m\n"
 "    return (d, (d * d).sum(), m.amin(), (m > 0).any())\n", 2e-5},
{"wholes_of_shared_rows",
 "def f(x: \"f32[3, 70000]\"):\n    e = torch.logsumexp(x, 1)\n"
 "    return (e, e.mean(), torch.softmax(x, 1), torch.amax(x))\n", 2e-5},
{"transpose_bf16",
 "def f(x: \"bf16[200, 136]\", y: \"bf16[136, 200]\", b: \"bf16[200]\"):\n"
 "    return ((x.t() + y) * b,)\n", 2e-2},
{"transpose_heads",
 "def f(x: \"f32[2, 3, 70, 64]\"):\n    return (x.transpose(1, 3).reshape(128, 210) + 1,)\n",
 2e-5},
{"rms_backward_square",
 "def f(g: \"bf16[64, 64]\", x: \"bf16[64, 64]\", w: \"bf16[64]\"):\n"
 "    d = g.float() * w.float()\n"
 "    return ((g.float() * x.float()).sum(0), (d * x.float()).sum(1, keepdim=True), d + 1)\n",
 3e-2},
{"transpose_ragged",
 "def f(x: \"f32[45, 77]\", y: \"f32[77, 45]\"):\n    return (x.t() * y, x.t() - 1)\n", 2e-5},
{"rotate_half",
 "def f(x: \"bf16[3, 20, 128]\", c: \"bf16[20, 128]\"):\n"
 "    a, b = x[..., :64], x[..., 64:]\n    r = torch.cat((-b, a), -1)\n"
 "    p = torch.nn.functional.pad(x[..., 32:96], (16, 48))\n"
 "    return (x * c + r, p + c, (r * c).float().sum(0), p.reshape(60, 128).float().sum(0))\n",
 3e-2},
{"unread_reduction",
 "def f(x: \"f32[10, 5]\", s: \"f32[5, 5]\"):\n    i = (s.abs() * 3).to(torch.int64) % 10\n"
 "    return (torch.scatter_reduce(x, 0, i, s, 'amin', include_self=True),)\n", 2e-5},
{"columns_last",
 "def f(x: \"f32[4096, 136]\"):\n    return (x.sum(0), x.amax(0), x * 2)\n", 2e-5},
{"angles",
 "def f(x: \"f32[8]\"):\n    a = torch.arange(40000) * 2.625 - 52000.0\n"
 "    b = torch.arange(40000) * 0.000244140625 - 4.875\n"
 "    return (torch.sin(a), torch.cos(a), torch.sin(b), torch.cos(b), torch.sin(x * 0))\n",
 2.4e-7},
{"error_function",
 "def f(x: \"f32[8]\"):\n    a = torch.arange(40000) * 0.000244140625 - 4.875\n"
 "    b = torch.arange(64) * 0.5 - 16.0\n"
 "    return (torch.erf(a), torch.erf(b), torch.erf(a * 0.000244140625), torch.erf(x / 0))\n",
 2.4e-7},
{"rotate_backward",
 "def f(g: \"bf16[3, 20, 128]\", c: \"bf16[20, 128]\", n: \"bf16[20, 128]\"):\n"
 "    h = g * n\n    a, b = h[..., :64], h[..., 64:]\n"
 "    p = torch.nn.functional.pad(-a, (64, 0)) + torch.nn.functional.pad(b, (0, 64))\n"
 "    return (g * c + p, h.float().sum((0, 1)))\n",
 3e-2},
{"one_hot",
 "def f(x: \"f32[20, 33]\", t: \"f32[20]\"):\n"
 "    i = (t.abs() * 20).to(torch.int64).unsqueeze(1) - 5\n"
 "    h = torch.where(i == torch.arange(33).unsqueeze(0), t.unsqueeze(1), 0.0)\n"
 "    return (h.sum(1), h - torch.exp(x) * h.sum(1, keepdim=True), x.amax(1))\n", 2e-5},
{"scatter_sum",
 "def f(x: \"f32[20, 33]\", t: \"f32[20]\"):\n"
 "    i = (t.abs() * 7).to(torch.int64).unsqueeze(1) % 33\n"
 "    a = torch.scatter_add(torch.zeros_like(x), 1, i, t.unsqueeze(1))\n"
 "    return (a.sum(1), a - torch.exp(x) * a.sum(1, keepdim=True), x.amax(1))\n", 2e-5},
{"heads",
 "def f(x: \"bf16[2, 4, 64, 32]\"):\n"
 "    return (x.transpose(1, 2).reshape(2, 64, 128) * 2,)\n", 2e-2},
{"rows_shared_by_blocks",
 "def f(x: \"f32[2, 70001]\"):\n"
 "    return (x.sum(1), x.amax(1) - x.amin(1), (x > 9).any(1))\n", 2e-5},
{"copies",
 "def f(x: \"bf16[200, 136]\", y: \"f32[3, 20, 4, 64]\", z: \"u8[45, 77]\"):\n"
 "    return (x.t().contiguous(), y.permute(0, 2, 1, 3).contiguous(),\n"
 "            z.t().contiguous())\n", 0},
{"chain_mlp",
 "def f(x: \"f32[5, 64]\", a: \"f32[64, 64]\", b: \"f32[64]\", c: \"f32[64, 64]\"):\n"
 "    h = torch.nn.functional.linear(x, a, b)\n"
 "    h = torch.nn.functional.gelu(h, approximate='tanh')\n"
 "    h = torch.nn.functional.linear(h, c, b)\n"
 "    return (torch.nn.functional.gelu(h, approximate='tanh'),)\n",
 2e-5},
{"chain_residuals",
 "def f(x: \"f32[2, 150, 32]\", a: \"f32[200, 32]\", b: \"f32[32, 200]\", c: \"f32[32]\",\n"
 "      e: \"f32[2, 150, 10]\", g: \"f32[10, 32]\"):\n"
 "    h = torch.relu(torch.nn.functional.linear(x * 0.02, a))\n"
 "    y = x + torch.nn.functional.linear(h, b, c)\n"
 "    z = torch.tanh(torch.nn.functional.linear(y, g)) * e + e.reshape(-1)[0]\n"
 "    return (y, z, h * 2)\n", 2e-5},
{"chain_columns_bf16",
 "def f(x: \"bf16[7, 40]\", a: \"bf16[40, 72]\", b: \"bf16[72]\", c: \"bf16[72, 24]\"):\n"
 "    h = torch.nn.functional.silu(torch.matmul(x * 0.1, a) + b)\n"
 "    y = torch.matmul(h, c * 0.1)\n"
 "    return (torch.where(y > 0, y, y * y), h)\n", 3e-2},
{"band_bf16",
 "def f(x: \"bf16[2, 20, 528]\", w: \"bf16[130, 528]\", b: \"bf16[130]\",\n"
 "      r: \"bf16[2, 20, 130]\"):\n"
 "    y = torch.nn.functional.linear(x * 0.02, w, b)\n"
 "    return (r + y, torch.nn.functional.gelu(y, approximate='tanh'))\n", 3e-2},
{"band_long",
 "def f(x: \"f16[12, 3200]\", w: \"f16[64, 3200]\"):\n"
 "    return (torch.relu(torch.nn.functional.linear(x * 0.02, w)),)\n", 3e-2},
{"strip_bf16",
 "def f(x: \"bf16[2, 25, 288]\", w: \"bf16[108, 288]\", b: \"bf16[108]\",\n"
 "      r: \"bf16[2, 25, 108]\"):\n"
 "    y = torch.nn.functional.linear(x * 0.02, w, b)\n"
 "    return (r + y, torch.nn.functional.gelu(y, approximate='tanh'))\n", 3e-2},
{"strip_long",
 "def f(x: \"f16[33, 2080]\", w: \"f16[96, 2080]\", r: \"f16[33, 96]\"):\n"
 "    return (r + torch.nn.functional.linear(x * 0.02, w),)\n", 3e-2},
{"strip_goes_on",
 "def f(x: \"bf16[40, 288]\", w: \"bf16[4603, 288]\", b: \"bf16[4603]\"):\n"
 "    return (torch.nn.functional.linear(x * 0.1, w, b),)\n", 3e-2},
{"panel_norm",
 "def f(x: \"bf16[2, 21, 256]\", g: \"bf16[256]\", c: \"bf16[256]\", w: \"bf16[200, 256]\",\n"
 "      b: \"bf16[200]\"):\n"
 "    h = torch.nn.functional.layer_norm(x, (256,), g, c)\n"
 "    y = torch.nn.functional.linear(h * 0.1, w, b)\n"
 "    return (torch.nn.functional.gelu(y, approximate='tanh'), x + 1)\n", 3e-2},
{"panel_rms",
 "def f(x: \"f16[50, 320]\", r: \"f16[50, 320]\", g: \"f16[320]\", w: \"f16[72, 320]\",\n"
 "      y: \"f16[50, 72]\"):\n"
 "    h = (x + r).float()\n"
 "    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
 "    return (y + torch.nn.functional.linear(g * h.to(torch.float16) * 0.1, w),)\n", 3e-2},
{"panel_goes_on",
 "def f(x: \"bf16[40, 256]\", g: \"bf16[256]\", w: \"bf16[5003, 256]\", b: \"bf16[5003]\"):\n"
 "    h = torch.nn.functional.layer_norm(x, (256,), g)\n"
 "    return (torch.nn.functional.linear(h * 0.1, w, b),)\n", 3e-2},
{"panel_softmax",
 "def f(x: \"bf16[9, 48]\", w: \"bf16[18, 48]\"):\n"
 "    return (torch.nn.functional.linear(torch.softmax(x, -1), w),)\n", 3e-2},
{"skinny_bf16",
 "def f(x: \"bf16[1, 4096]\", w: \"bf16[70, 4096]\"):\n"
 "    return (torch.nn.functional.silu(torch.nn.functional.linear(x * 0.02, w)),)\n", 3e-2},
{"skinny_rows",
 "def f(x: \"f32[5, 520]\", w: \"f32[37, 520]\", b: \"f32[37]\", r: \"f32[5, 37]\"):\n"
 "    y = torch.nn.functional.linear(x * 0.02, w, b)\n"
 "    return (torch.nn.functional.gelu(y) + r, y)\n", 2e-5},
{"skinny_wide",
 "def f(x: \"f16[2, 1, 72]\", w: \"f16[3000, 72]\", b: \"f16[3000]\"):\n"
 "    return (torch.nn.functional.linear(x * 0.1, w, b),)\n", 3e-2},
{"chain_wide",
 "def f(x: \"f16[3, 512]\", a: \"f16[300, 512]\", b: \"f16[512, 304]\", c: \"f16[300, 4]\"):\n"
 "    h = torch.sigmoid(torch.nn.functional.linear(x, a * 0.1))\n"
 "    g = torch.nn.functional.pad(h, (0, 4))\n"
 "    y = torch.nn.functional.linear(g, b * 0.1).float() ** 3\n"
 "    return (y, torch.matmul(h, c))\n", 3e-2},
