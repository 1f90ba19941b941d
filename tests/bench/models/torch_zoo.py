"""The suite's models of PyTorch's: each function gives (model, arguments), with random weights and inputs of a fixed seed.

Dropout is off, so that every system computes the same; sizes are those of one small training step on a CPU.
"""

import torch
from torch import nn


class Field(nn.Module):
    """The tensor that a loss is made of, out of what a model of transformers gives."""

    def __init__(self, model, name, **given):
        super().__init__()
        self.model, self.name, self.given = model, name, given

    def forward(self, *args):
        return getattr(self.model(*args, **self.given), self.name)


def images(batch, size, channels=3):
    return (torch.randn(batch, channels, size, size),)


def mlp():
    layers = [nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)]
    return nn.Sequential(*layers), (torch.randn(128, 784),)


def torchvision_model(name, batch, size, **options):
    import torchvision

    return getattr(torchvision.models, name)(weights=None, **options), images(batch, size)


def resnet18():
    return torchvision_model("resnet18", 4, 96)


def resnet50():
    return torchvision_model("resnet50", 2, 96)


def mobilenet_v3_small():
    return torchvision_model("mobilenet_v3_small", 4, 96, dropout=0.0)


def efficientnet_b0():
    return torchvision_model("efficientnet_b0", 2, 96, dropout=0.0, stochastic_depth_prob=0.0)


def convnext_tiny():
    return torchvision_model("convnext_tiny", 2, 64, stochastic_depth_prob=0.0)


def vit_b_16():
    import torchvision

    options = {"image_size": 64, "patch_size": 16, "num_layers": 4, "num_heads": 12, "hidden_dim": 768, "mlp_dim": 3072}
    model = torchvision.models.VisionTransformer(**options)
    nn.init.normal_(model.heads.head.weight, std=0.02)  # zeros as it comes, of which all other gradients are 0
    return model, images(2, 64)


def densenet121():
    return torchvision_model("densenet121", 2, 64)


class Block(nn.Sequential):
    def __init__(self, inputs, outputs):
        layers = []
        for i in (inputs, outputs):
            layers += [nn.Conv2d(i, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
        super().__init__(*layers)


class UNet(nn.Module):
    """Three levels, as Ronneberger et al. 2015 with padding and batch norm."""

    def __init__(self, width=16):
        super().__init__()
        self.down = nn.ModuleList([Block(3, width), Block(width, 2 * width), Block(2 * width, 4 * width)])
        self.up = nn.ModuleList(
            [nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), nn.ConvTranspose2d(2 * width, width, 2, 2)]
        )
        self.join = nn.ModuleList([Block(4 * width, 2 * width), Block(2 * width, width)])
        self.pool, self.head = nn.MaxPool2d(2), nn.Conv2d(width, 4, 1)

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](self.pool(a))
        x = self.down[2](self.pool(b))
        for up, join, kept in zip(self.up, self.join, (b, a)):
            x = join(torch.cat([up(x), kept], 1))
        return self.head(x)


def unet():
    return UNet(), images(2, 64)


class Dcgan(nn.Module):
    """A generator and a critic in one step (Radford et al. 2015), at 32 x 32."""

    def __init__(self, width=32):
        super().__init__()
        sizes = ((64, 4 * width, 1, 0), (4 * width, 2 * width, 2, 1), (2 * width, width, 2, 1))
        generator, critic = [], []
        for i, o, stride, padding in sizes:
            generator += [nn.ConvTranspose2d(i, o, 4, stride, padding, bias=False), nn.BatchNorm2d(o), nn.ReLU()]
        generator += [nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh()]
        for i, o in ((3, width), (width, 2 * width), (2 * width, 4 * width)):
            critic += [nn.Conv2d(i, o, 4, 2, 1), nn.LeakyReLU(0.2)]
        critic += [nn.Conv2d(4 * width, 1, 4), nn.Flatten()]
        self.generator, self.critic = nn.Sequential(*generator), nn.Sequential(*critic)

    def forward(self, z):
        return self.critic(self.generator(z))


def dcgan():
    return Dcgan(), (torch.randn(8, 64, 1, 1),)


def tokens(batch, length, words=1000):
    return torch.randint(0, words, (batch, length))


def bert():
    from transformers import BertConfig, BertModel

    sizes = {
        "hidden_size": 256,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "intermediate_size": 1024,
        "vocab_size": 1000,
    }
    config = BertConfig(**sizes, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return Field(BertModel(config, add_pooling_layer=False), "last_hidden_state"), (tokens(4, 64),)


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    none = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "bos_token_id": None, "eos_token_id": None}
    config = GPT2Config(n_layer=4, n_head=4, n_embd=128, vocab_size=1000, n_positions=64, **none)
    return Field(GPT2LMHeadModel(config), "logits", use_cache=False), (tokens(8, 64),)


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 256, "intermediate_size": 688, "num_hidden_layers": 4, "num_attention_heads": 4}
    config = LlamaConfig(**sizes, num_key_value_heads=2, vocab_size=1000, max_position_embeddings=64)
    return Field(LlamaForCausalLM(config), "logits", use_cache=False), (tokens(4, 64),)


class T5(nn.Module):
    def __init__(self):
        super().__init__()
        from transformers import T5Config, T5ForConditionalGeneration

        sizes = {"d_model": 128, "d_kv": 32, "d_ff": 512, "num_layers": 2, "num_heads": 4, "vocab_size": 1000}
        self.model = T5ForConditionalGeneration(T5Config(**sizes, dropout_rate=0.0, use_cache=False))

    def forward(self, source, target):
        return self.model(input_ids=source, decoder_input_ids=target, use_cache=False).logits


def t5():
    return T5(), (tokens(4, 32), tokens(4, 24))


def whisper_encoder():
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    sizes = {"d_model": 128, "encoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 512}
    config = WhisperConfig(**sizes, num_mel_bins=80, max_source_positions=100, dropout=0.0)
    return Field(WhisperEncoder(config), "last_hidden_state"), (torch.randn(2, 80, 200),)


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cells, self.head = kind(64, 128, batch_first=True), nn.Linear(128, 64)

    def forward(self, x):
        return self.head(self.cells(x)[0])


def lstm():
    return Recurrent(nn.LSTM), (torch.randn(16, 32, 64),)


def gru():
    return Recurrent(nn.GRU), (torch.randn(16, 32, 64),)


def encoder():
    layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.randn(8, 64, 128),)


class Autoencoder(nn.Module):
    """A variational autoencoder (Kingma and Welling 2013); its noise is an argument."""

    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(784, 400), nn.Linear(20, 400)
        self.mean, self.deviation, self.picture = nn.Linear(400, 20), nn.Linear(400, 20), nn.Linear(400, 784)

    def forward(self, x, noise):
        h = torch.relu(self.encode(x))
        mean, log_variance = self.mean(h), self.deviation(h)
        z = mean + noise * torch.exp(0.5 * log_variance)
        logits = self.picture(torch.relu(self.decode(z)))
        apart = nn.functional.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
        return apart - 0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(1)


def vae():
    return Autoencoder(), (torch.rand(128, 784), torch.randn(128, 20))


class Dlrm(nn.Module):
    """Bags of embeddings, their dot products with the dense features, and a network on top (Naumov et al. 2019)."""

    def __init__(self, tables=8, rows=10000, width=16):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(rows, width) for _ in range(tables)])
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(nn.Linear(pairs + width, 64), nn.ReLU(), nn.Linear(64, 1))
        self.register_buffer("pairs", torch.tril_indices(tables + 1, tables + 1, -1))

    def forward(self, dense, bags):
        x = self.bottom(dense)
        features = torch.stack([x] + [table(bags[:, i]).sum(1) for i, table in enumerate(self.tables)], 1)
        dots = features @ features.transpose(1, 2)
        return self.top(torch.cat([x, dots[:, self.pairs[0], self.pairs[1]]], 1))


def dlrm():
    return Dlrm(), (torch.randn(128, 13), torch.randint(0, 10000, (128, 8, 4)))


class GraphNet(nn.Module):
    """Three rounds of messages along edges, summed at their targets (Gilmer et al. 2017)."""

    def __init__(self, width=32):
        super().__init__()
        self.message = nn.ModuleList([nn.Linear(2 * width, width) for _ in range(3)])
        self.update = nn.ModuleList([nn.Linear(2 * width, width) for _ in range(3)])

    def forward(self, nodes, source, target):
        for message, update in zip(self.message, self.update):
            sent = torch.relu(message(torch.cat([nodes[source], nodes[target]], 1)))
            sums = torch.zeros_like(nodes).index_add(0, target, sent)
            nodes = nodes + torch.tanh(update(torch.cat([nodes, sums], 1)))
        return nodes


def graph_net():
    edges = (torch.randint(0, 1000, (8000,)), torch.randint(0, 1000, (8000,)))
    return GraphNet(), (torch.randn(1000, 32), *edges)


MODELS = (
    mlp, resnet18, resnet50, mobilenet_v3_small, efficientnet_b0, convnext_tiny, vit_b_16, densenet121, unet, dcgan, bert,
    gpt2, llama, t5, whisper_encoder, lstm, gru, encoder, vae, dlrm, graph_net,
)  # fmt: skip
