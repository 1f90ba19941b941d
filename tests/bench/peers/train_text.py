"""What `reel train --data TEXT --model gpt` trains, in PyTorch: the same model, optimizer and schedule.

usage: train_text.py TEXT [STEPS] [SCHEDULED]

Prints a JSON line: seconds of the steps, mean loss of the last 100. SCHEDULED: steps of the whole schedule, of which the
first STEPS are run. Beside it runs

    reel train --data TEXT --optimizer adamw --weight-decay 0.1 --learning-rate 0.004 --schedule cosine --warmup 100 \
        --clip 1 --steps STEPS
"""

import json
import math
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

LAYERS, HEADS, WIDTH, CONTEXT, BATCH = 4, 4, 128, 64, 32
RATE, WARMUP, DECAY, CLIP = 0.004, 100, 0.1, 1.0


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix_norm, self.wide_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.queries, self.output = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        n, length, _ = x.shape
        q, k, v = (
            part.view(n, length, HEADS, -1).transpose(1, 2) for part in self.queries(self.mix_norm(x)).split(WIDTH, 2)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.output(mixed.transpose(1, 2).reshape(n, length, WIDTH))
        return x + self.narrow(F.gelu(self.wide(self.wide_norm(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, characters):
        super().__init__()
        self.tokens = nn.Embedding(characters, WIDTH)
        self.positions = nn.Parameter(0.02 * torch.randn(CONTEXT, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, characters, bias=False)
        for name, p in self.named_parameters():
            if p.dim() < 2:
                continue
            to_sum = name.endswith(("output.weight", "narrow.weight"))
            nn.init.normal_(p, std=0.02 / math.sqrt(2 * LAYERS) if to_sum else 0.02)
        for module in self.modules():
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, text):
        x = self.tokens(text) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def rate(step, steps):
    """Up in the warm-up, then by a cosine to a tenth."""
    if step < WARMUP:
        return RATE * step / WARMUP
    part = min(1.0, (step - WARMUP) / max(1, steps - WARMUP))
    return RATE / 10 + 0.9 * RATE * (1 + math.cos(math.pi * part)) / 2


def main(path, steps=2000, scheduled=0):
    torch.manual_seed(0)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    number = {c: i for i, c in enumerate(sorted(set(text)))}
    tokens = torch.tensor([number[c] for c in text])
    tokens = tokens[: len(tokens) * 9 // 10]
    model = Gpt(len(number))
    groups = [
        {"params": [p for p in model.parameters() if p.dim() >= 2], "weight_decay": DECAY},
        {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.99), fused=True)
    losses, start, cpu = [], time.perf_counter(), time.process_time()
    for step in range(steps):
        first = torch.randint(len(tokens) - CONTEXT - 1, (BATCH, 1)) + torch.arange(CONTEXT)
        loss = F.cross_entropy(model(tokens[first]).flatten(0, 1), tokens[first + 1].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        for group in optimizer.param_groups:
            group["lr"] = rate(step, scheduled or steps)
        optimizer.step()
        losses.append(loss.item())
    seconds = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}
    print(json.dumps({"steps": steps, **seconds, "loss": sum(losses[-100:]) / len(losses[-100:])}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
