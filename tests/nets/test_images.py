"""Networks on images: shapes, multiplications, and blocks that answer as the network does."""

import numpy as np
import pytest

from scrimp.nets import BlockProgram, Layer, densenet, lenet, msdnet, resnet
from scrimp.plans.components.layer_programs import carried_shapes

torch = pytest.importorskip("torch")

from scrimp.nets.augmentation import Augmentation  # noqa: E402
from scrimp.nets.image_net import ImageNet  # noqa: E402

NETS = {
    "resnet": lambda: resnet(4, n=2, channels=4, drop_percent=10),
    "resnet, first stride 2": lambda: resnet(4, n=1, channels=4, first_stride=2),
    "densenet": lambda: densenet(4, growth=3, parts=(2, 3), exit_every=2, drop_percent=10),
    "msdnet": lambda: msdnet(4, growth=2, n_layers=4, n_scales=2, exit_every=2),
    "lenet": lambda: lenet(4),
}
IMAGE = (2, 12, 12)


@pytest.fixture(params=NETS)
def net(request):
    torch.manual_seed(0)
    made = ImageNet(NETS[request.param](), IMAGE, np.zeros(4)).train()
    for _ in range(3):
        list(made(torch.randn(16, *IMAGE)))
    return made.eval()


def test_blocks_answer_as_the_network_does(net):
    images = np.random.default_rng(0).normal(size=(5, *IMAGE)).astype(np.float32)
    with torch.no_grad():
        expected = [scores.numpy() for scores in net(torch.from_numpy(images))]
    n = len(expected)
    slopes, shifts = np.linspace(1, 2, n), np.ones((n, 4))
    hidden, flat = np.empty((5, 0)), images.reshape(5, -1)
    for k, block in enumerate(net.blocks([True] * n, slopes, shifts)):
        again = type(block).from_arrays(block.arrays())
        hidden = again.forward(hidden, flat, np.arange(5))
        assert again.widths[1] == hidden.shape[1]
        np.testing.assert_allclose(again.answer(hidden), slopes[k] * expected[k] + 1.0, atol=1e-4)


def test_multiplications_are_counted(net):
    """Counted once more by hooks on the modules of PyTorch."""
    counted = 0

    def hook(module, inputs, output):
        nonlocal counted
        if isinstance(module, torch.nn.Conv2d):
            size = module.kernel_size[0] * module.kernel_size[1] * module.in_channels
            counted += output[0].numel() * size
        elif isinstance(module, torch.nn.Linear):
            counted += module.in_features * module.out_features
        elif isinstance(module, torch.nn.BatchNorm2d):
            counted += output[0].numel()

    for module in net.made.values():
        module.register_forward_hook(hook)
    list(net(torch.zeros(1, *IMAGE)))
    assert sum(net.multiply_adds) == counted


def test_resann_has_the_units_of_the_thesis():
    blocks = resnet(10, n=5, channels=16)
    assert len(blocks) == 15
    shapes = carried_shapes(blocks, (3, 32, 32))[1:]
    assert [next(iter(given.values())) for given in shapes][4::5] == [(16, 32, 32), (32, 16, 16)]
    assert len(resnet(10, n=5, exit_every=3)) == 5


def test_a_first_stride_of_2_halves_the_images_of_all_units():
    blocks = resnet(10, n=1, channels=16, first_stride=2)
    shapes = carried_shapes(blocks, (3, 32, 32))[1:]
    assert [next(iter(given.values())) for given in shapes] == [(16, 16, 16), (32, 8, 8)]


def test_layers_that_do_not_fit_are_named():
    block = BlockProgram((Layer("add", ("x", "y"), "sum"),), ("sum",))
    with pytest.raises(ValueError, match="sum is made from 'y'"):
        block.shapes({"x": (1, 4, 4)})
    with pytest.raises(ValueError, match="sum adds values of the shapes"):
        block.shapes({"x": (1, 4, 4), "y": (2, 4, 4)})
    big = BlockProgram((Layer("conv", ("x",), "c", {"channels": 1, "size": 9}),), ("c",))
    with pytest.raises(ValueError, match="an image of side 4 is too small"):
        big.shapes({"x": (1, 4, 4)})
    with pytest.raises(ValueError, match="there is no layer 'fold'"):
        Layer("fold", ("x",), "y")


class TestAugmentation:
    IMAGES = torch.arange(2 * 3 * 6 * 5, dtype=torch.float32).reshape(2, 3, 6, 5) + 1.0

    def changed(self, seed=0, **options):
        return Augmentation(**options)(self.IMAGES, torch.Generator().manual_seed(seed))

    def test_a_crop_is_a_part_of_the_padded_image(self):
        padded = torch.nn.functional.pad(self.IMAGES, (2,) * 4)
        for image, whole in zip(self.changed(pad=2), padded, strict=True):
            parts = [whole[:, i : i + 6, j : j + 5] for i in range(5) for j in range(5)]
            assert any(torch.equal(image, part) for part in parts)

    def test_images_are_mirrored_or_not(self):
        seen = set()
        for seed in range(8):
            for image, own in zip(self.changed(seed, flip=True), self.IMAGES, strict=True):
                mirrored = torch.equal(image, own.flip(2))
                assert mirrored or torch.equal(image, own)
                seen.add(mirrored)
        assert seen == {True, False}

    def test_a_square_is_cut_out(self):
        image = self.changed(cutout=2)[0]
        changed = (image != self.IMAGES[0]).any(dim=0)
        assert 1 <= int(changed.sum()) <= 4
        assert image[:, changed].unique().numel() == 1
