"""Tables: the columns the case studies need and nothing about a person beyond them, in the order of the file."""

import hashlib
import re

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from sklearn.linear_model import LogisticRegression

from calibtutor.data import downloads, tables
from calibtutor.data.tables import load_compas, load_heart, load_housing
from calibtutor.reproductions.compas import assessed_late

LOADERS = {"compas-scores-two-years.csv": (load_compas, tables.COMPAS_COLUMNS),
           "AHS_2019_Cleaned.csv": (load_housing, tables.HOUSING_COLUMNS),
           "heart.csv": (load_heart, tables.HEART_COLUMNS)}


@pytest.fixture
def publish(tmp_path, monkeypatch):
    """Put a text in the place of a published file, as CALIBTUTOR_DATA_DIR would find it."""
    monkeypatch.setenv("CALIBTUTOR_DATA_DIR", str(tmp_path))

    def put(filename, text):
        monkeypatch.setitem(downloads.CACHE.registry, filename, hashlib.sha256(text.encode()).hexdigest())
        (tmp_path / filename).write_bytes(text.encode())

    return put


def made_up(columns):
    """A CSV file of three rows with these columns, all cells 1 but for the personal ones."""
    personal = {"name": "Jane Doe", "dob": "1984-07-15", "c_case_number": "13011352CF10A"}
    lines = [",".join(columns)] + [",".join(personal.get(c, "1") for c in columns)] * 3
    return "\n".join(lines) + "\n"


def test_what_names_a_person_is_never_read(publish, monkeypatch):
    header = ["id", "name", "dob", *tables.COMPAS_COLUMNS[::-1], "c_case_number", "priors_count"]
    text = made_up(header)
    assert "Jane Doe" in text
    publish("compas-scores-two-years.csv", text)
    frames, read = [], pd.read_csv
    monkeypatch.setattr(pd, "read_csv", lambda *args, **options: frames.append(read(*args, **options)) or frames[-1])
    frame = load_compas(progress=False)
    assert list(frame.columns) == tables.COMPAS_COLUMNS and frame.shape == (3, 9)
    # Not only dropped at the end: no frame on the way held a row of them.
    seen = "".join(f.to_csv() for f in frames if len(f))
    assert "1" in seen and not re.search("Jane|1984|13011352", seen)


@pytest.mark.parametrize("filename", LOADERS)
def test_cells_stay_as_they_are_and_missing_columns_are_named_with_the_file(publish, filename):
    load, columns = LOADERS[filename]
    publish(filename, made_up(columns))
    assert (load(progress=False).astype(float) == 1).all(axis=None)
    publish(filename, made_up(columns[:1] + columns[2:-1]))
    with refuses(filename, expected=", ".join(columns), hint=f"missing: {columns[1]}, {columns[-1]}"):
        load(progress=False)


# Of each file: its shape, which columns hold text and which real numbers, and how often each outcome occurs.
DOCUMENTED = {
    "compas-scores-two-years.csv": ((7214, 9), {"sex", "race", "c_charge_degree"}, set(), {0: 3743, 1: 3471}),
    "AHS_2019_Cleaned.csv": ((48_660, 11), set(), {"HINCP"}, {0: 17_934, 1: 30_726}),
    "heart.csv": ((918, 12), {"Sex", "ChestPainType", "RestingECG", "ExerciseAngina", "ST_Slope"}, {"Oldpeak"},
                  {0: 410, 1: 508})}


@pytest.mark.parametrize("filename", DOCUMENTED)
def test_a_published_file_is_the_documented_table(filename):
    (load, columns), (shape, text, real, outcomes) = LOADERS[filename], DOCUMENTED[filename]
    frame = load(progress=False)
    assert frame.shape == shape and list(frame.columns) == columns
    assert frame.index.equals(pd.RangeIndex(len(frame))) and not frame.isna().to_numpy().any()
    for name in columns:
        if name in text:
            assert pd.api.types.is_string_dtype(frame[name]), name
        else:
            assert frame[name].dtype == (np.float64 if name in real else np.int64), name
    (outcome,) = {"is_recid", "OWNER", "HeartDisease"} & {*columns}
    assert frame[outcome].value_counts().to_dict() == outcomes


def test_compas_outcomes_are_two():
    compas = load_compas(progress=False)
    ever, soon = compas["is_recid"], compas["two_year_recid"]
    assert (ever != soon).sum() == 220 and (ever >= soon).all()
    late = assessed_late()
    assert late.sum() == 998 and soon[late].all()


def test_housing_gives_what_its_authors_printed():
    # The slopes of their logistic regression: columns mixed up, recoded or in another unit would give others.
    housing = load_housing(progress=False)
    printed = {"HINCP": 2.023634, "HHAGE": 0.048322, "BLACK": -0.620552, "HHCITSHP": -0.178447, "HHGRAD": 0.048763,
               "HHSEX": -0.063540, "METRO": -0.493263, "HHMAR": -0.218695, "NUMPEOPLE": 0.072514,
               "DIVISION": -0.045902}
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8)
    model.fit(housing[list(printed)], housing["OWNER"])
    np.testing.assert_allclose(model.coef_[0], list(printed.values()), atol=2e-6, rtol=0)
