# A GPT of two layers: 8 sequences of 16 characters, 32 kinds of characters, 32 channels, 4 heads.
# Written by hand in the form that TorchDynamo prints; examples/train.lua trains it.
def tiny_gpt(idx: "i64[8, 16]", target: "i64[8, 16]", wte: "f32[32, 32]", wpe: "f32[16, 32]",
             ln1_0_w: "f32[32]", ln1_0_b: "f32[32]", attn_0_w: "f32[96, 32]", proj_0_w: "f32[32, 32]",
             ln2_0_w: "f32[32]", ln2_0_b: "f32[32]", fc_0_w: "f32[128, 32]", fc_0_b: "f32[128]",
             out_0_w: "f32[32, 128]", ln1_1_w: "f32[32]", ln1_1_b: "f32[32]", attn_1_w: "f32[96, 32]",
             proj_1_w: "f32[32, 32]", ln2_1_w: "f32[32]", ln2_1_b: "f32[32]", fc_1_w: "f32[128, 32]",
             fc_1_b: "f32[128]", out_1_w: "f32[32, 128]", lnf_w: "f32[32]", lnf_b: "f32[32]"):
    tok = torch.nn.functional.embedding(idx, wte)
    x = tok + wpe

    n1_0 = torch.nn.functional.layer_norm(x, (32,), ln1_0_w, ln1_0_b)
    q_0, k_0, v_0 = torch.nn.functional.linear(n1_0, attn_0_w).split(32, dim=2)
    q_0 = q_0.view(8, 16, 4, 8).transpose(1, 2)
    k_0 = k_0.view(8, 16, 4, 8).transpose(1, 2)
    v_0 = v_0.view(8, 16, 4, 8).transpose(1, 2)
    y_0 = torch.nn.functional.scaled_dot_product_attention(q_0, k_0, v_0, is_causal=True)
    y_0 = y_0.transpose(1, 2).reshape(8, 16, 32)
    x = x + torch.nn.functional.linear(y_0, proj_0_w)
    n2_0 = torch.nn.functional.layer_norm(x, (32,), ln2_0_w, ln2_0_b)
    h_0 = torch.nn.functional.gelu(torch.nn.functional.linear(n2_0, fc_0_w, fc_0_b))
    x = x + torch.nn.functional.linear(h_0, out_0_w)

    n1_1 = torch.nn.functional.layer_norm(x, (32,), ln1_1_w, ln1_1_b)
    q_1, k_1, v_1 = torch.nn.functional.linear(n1_1, attn_1_w).split(32, dim=2)
    q_1 = q_1.view(8, 16, 4, 8).transpose(1, 2)
    k_1 = k_1.view(8, 16, 4, 8).transpose(1, 2)
    v_1 = v_1.view(8, 16, 4, 8).transpose(1, 2)
    y_1 = torch.nn.functional.scaled_dot_product_attention(q_1, k_1, v_1, is_causal=True)
    y_1 = y_1.transpose(1, 2).reshape(8, 16, 32)
    x = x + torch.nn.functional.linear(y_1, proj_1_w)
    n2_1 = torch.nn.functional.layer_norm(x, (32,), ln2_1_w, ln2_1_b)
    h_1 = torch.nn.functional.gelu(torch.nn.functional.linear(n2_1, fc_1_w, fc_1_b))
    x = x + torch.nn.functional.linear(h_1, out_1_w)

    x = torch.nn.functional.layer_norm(x, (32,), lnf_w, lnf_b)
    logits = torch.nn.functional.linear(x, wte)
    loss = torch.nn.functional.cross_entropy(logits.view(128, 32), target.view(128))
    return loss
