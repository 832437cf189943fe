"""Predictions of the networks and of the language model, rounded and packed for the case studies.

    python notebooks/case_studies/data/pack_networks.py SOURCE [--compare]

writes the files beside it and prints their checksums; with --compare it prints what tables say of SOURCE and of what is
stored.

SOURCE is a folder with cifar10.npz, cifar100.npz and next_word.npz. Of the language model only numbers are kept.
"""

import hashlib
import sys
import zipfile
from pathlib import Path

import numpy as np
from scipy.special import softmax

import calibtutor as ct
from calibtutor.data import networks as room
from calibtutor.estimates.risk import no_error


def packed_logits(source, key, name):
    """Two entries of a file: steps below the largest logit, and the largest's own so that its probability stays."""
    below = source[key].astype(float)
    rows, at = np.arange(len(below)), below.argmax(axis=1)
    below = below[rows, at][:, None] - below
    steps = np.maximum(rounded(below, "logits"), below > 0)  # no tie that was none
    kept = room.levels("logits")[steps].astype(float)
    below[rows, at] = kept[rows, at] = np.inf
    moved = room.TOP_STEPS * np.log(np.exp(-kept).sum(axis=1) / np.exp(-below).sum(axis=1))
    top = np.maximum(np.round(moved), np.ceil(-room.TOP_STEPS * kept.min(axis=1)))
    assert np.abs(top).max() < 2**15
    return {name: np.stack([steps & 255, steps >> 8]).astype(np.uint8), f"{name}, top": top.astype(np.int16)}


def rounded(x, kind):
    steps = np.round(room.steps_of(x.astype(float), kind)).astype(np.int64)
    assert 0 <= steps.min() and steps.max() < len(room.levels(kind))
    return steps


def packed(source):
    """{key of a file: its arrays}."""
    files = {}
    for data in room.DATA:
        with np.load(source / f"{data.replace('-', '').lower()}.npz") as content:
            kept = {key: content[key] for key in content.files if key.startswith("epochs|") or key == "about"}
            names = {"test_label": "test, label", "held_label": "held out, label"}
            kept |= {name: content[key] for key, name in names.items() if key in content}
            for key in content.files:
                network, _, split = key.partition("|")
                if network in room.NETWORKS:
                    kept |= packed_logits(content, key, f"{network}|{renamed(split)}")
        files[data] = kept
    with np.load(source / "next_word.npz") as content:
        assert tuple(content["kinds"]) == room.KINDS
        top, rank = rounded(-content["top_log_prob"].T, "words"), content["rank_of_token"]
        other = np.where(rank < len(top), 0, -content["log_prob_of_token"])  # the others are in `top`
        files["words"] = {name: content[name] for name in ("kind", "passage", "position")} | {
            "rank": rank, "top": np.diff(top, axis=0, prepend=0).astype(np.uint16),
            "log_prob": rounded(other, "words").astype(np.uint16),
            "entropy": rounded(content["entropy"], "words").astype(np.uint16),
        }  # fmt: skip
    return files


def statistics(y, p):
    """What tables print of predictions, as they print it: three decimals, two of 100 times a root."""
    hit, confidence = ct.top_label(y, p)
    scaled, rows = ct.TemperatureScaling(clip=2**-52).fit(y, p), np.arange(len(y))
    classes = [ct.class_wise(y, p, k) for k in range(p.shape[1])]
    bins = ct.fit_binning(hit[::2], confidence[::2])
    errors = [ct.expected_calibration_error(*each) for each in [(hit, confidence), *classes]]
    roots = [ct.calibration_risk(no_error(), *each) ** 0.5 for each in [(hit, confidence), (y, p), *classes]]
    roots += [np.mean(roots[2:]), ct.calibration_risk(bins, hit[1::2], confidence[1::2]) ** 0.5]
    losses = [-np.log(each[rows, y]).mean() for each in (p, scaled.predict_proba(p))]
    kernel, first = ct.linear_plus_gaussian(1.0), (y[:1000], p[:1000])
    numbers = [hit.mean(), confidence.mean(), scaled.temperature, *losses, *errors, np.mean(errors[1:])]
    numbers += [each(*first, kernel=kernel) for each in (ct.ckce, ct.jkce)]
    return [f"{each:.3f}" for each in numbers] + [f"{100 * each:.2f}" for each in roots]


def compare(source):
    """Print what moved, and the largest differences, of each network and split."""
    for data in room.DATA:
        with np.load(source / f"{data.replace('-', '').lower()}.npz") as content:
            for key in content.files:
                network, _, split = key.partition("|")
                if network not in room.NETWORKS:
                    continue
                kept = room.network_predictions(network, data=data, split=renamed(split))
                p = softmax(content[key].astype(float), axis=1)
                assert np.array_equal(p.argmax(axis=1), kept.y_prob.argmax(axis=1))
                both = [statistics(kept.y_true, each) for each in (p, kept.y_prob)]
                moved = [f"{a} to {b}" for a, b in zip(*both, strict=True) if a != b]
                of_top = np.abs(p.max(axis=1) - kept.y_prob.max(axis=1)).max()
                sure = [(each.max(axis=1).astype(np.float32) == 1).sum() for each in (p, kept.y_prob)]
                far = np.abs(p - kept.y_prob).max()
                print(f"{data} {key}: {len(both[0])} numbers, moved {moved}; p off by {far:.1e}, the top's by "
                      f"{of_top:.1e}; float32 confidence 1: {sure[0]} and {sure[1]}", flush=True)  # fmt: skip


    kept = room.next_words()
    with np.load(source / "next_word.npz") as content:
        names = ("log_prob_of_token", "rank_of_token", "entropy", "top_log_prob")
        both = [of_words(*(content[name].astype(float) for name in names)),
                of_words(kept.log_prob, kept.rank, kept.entropy, kept.top)]  # fmt: skip
    print(f"words: {len(both[0])} numbers, moved {[f'{a} to {b}' for a, b in zip(*both, strict=True) if a != b]}")


def of_words(log_prob, rank, entropy, top):
    """What tables print of each kind of text, three decimals."""
    found, share = [], np.exp(top)
    for kind in np.arange(6)[:, None] == room.next_words().kind:
        said, hit = share[kind, 0], rank[kind] == 0
        found += [hit.mean(), said.mean(), ct.expected_calibration_error(hit, said), (said - hit).mean()]
        found += [-log_prob[kind].mean(), entropy[kind].mean(), (-log_prob - entropy)[kind].mean()]
        found += [(share[kind, :k].sum(axis=1) - (rank[kind] < k)).mean() for k in (1, 2, 3, 5, 8)]
    return [f"{each:.3f}" for each in found]


def renamed(split):
    return split.replace("held", "held out").replace("light", "light ")


def main(source, *options):
    if options == ("--compare",):
        return compare(Path(source))
    room.FOLDER.mkdir(exist_ok=True)
    for key, arrays in packed(Path(source)).items():
        file = room.FILES[key][0]
        with zipfile.ZipFile(room.FOLDER / file, "w", zipfile.ZIP_LZMA) as out:  # what `np.load` reads, 4 % smaller
            for name, array in arrays.items():
                with out.open(f"{name}.npy", "w") as stream:
                    np.lib.format.write_array(stream, np.asarray(array), allow_pickle=False)
        content = (room.FOLDER / file).read_bytes()
        print(f"{file}: {len(content):,} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
