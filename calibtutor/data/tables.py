"""Three published tables for the case studies: COMPAS, the American Housing Survey and heart disease.

The files come through `downloads.fetch`: once, from one fixed commit, and read only when the checksum is right.
Rows keep the order of the file, because the published studies split them by seed. Every call reads anew, so
the frame is the caller's to change.
"""

import pandas as pd

from ..door.inputs import InputError
from .downloads import fetch

COMPAS_COLUMNS = ["sex", "age", "race", "juv_fel_count", "juv_misd_count", "priors_count", "c_charge_degree",
                  "is_recid", "two_year_recid"]
# All but the unnamed first column, the row's number before the authors' cleaning.
HOUSING_COLUMNS = "BLACK HHSEX METRO HHGRAD HHMAR HHCITSHP HHAGE NUMPEOPLE HINCP DIVISION OWNER".split()
HEART_COLUMNS = ["Age", "Sex", "ChestPainType", "RestingBP", "Cholesterol", "FastingBS", "RestingECG", "MaxHR",
                 "ExerciseAngina", "Oldpeak", "ST_Slope", "HeartDisease"]


def load_compas(*, progress=True):
    """Defendants in Broward County, Florida, and whether they were charged again: 7,214 rows, 9 columns.

    Everyone was assessed with the COMPAS questionnaire in 2013 or 2014. The file is about real people and has
    their names, birth dates and case numbers: only the columns below are read, so no frame ever holds the others.

    ================  =====================================================================================
    sex               "Male" (5,819) or "Female" (1,395)
    age               years, 18 to 96
    race              "African-American" (3,696), "Caucasian" (2,454), "Hispanic" (637), "Other" (377),
                      "Asian" (32) or "Native American" (18), as the county recorded it
    juv_fel_count     felonies on record as a juvenile, 0 to 20
    juv_misd_count    misdemeanours on record as a juvenile, 0 to 13
    priors_count      earlier offences on record, 0 to 38
    c_charge_degree   the present charge: "F", felony (4,666), or "M", misdemeanour (2,548)
    is_recid          1 when charged with a new offence in the time observed (3,471 rows, .481), else 0
    two_year_recid    1 when that was within two years (3,251 rows, .451), else 0
    ================  =====================================================================================

    The outcomes differ in 220 rows, always `is_recid` 1 and `two_year_recid` 0. The study of Vashistha and Farahi
    predicts `is_recid`.

    The data say who was charged again, not who offended again. Both rates are too high, because of the people
    assessed after 1 April 2014 the file holds only those with a new charge within two years (998 rows; found by
    Barenstein, *ProPublica's COMPAS data revisited*, 2019). Without these rows the rates are .398 and .362.

    Published by ProPublica in 2016, github.com/propublica/compas-analysis; CC-BY 4.0 as stated by Vashistha and Farahi.

    Parameters
    ----------
    progress : bool, default True
        Show a progress bar while downloading.

    Returns
    -------
    pandas.DataFrame
        Text and int64 columns, none missing; the index counts the rows of the file from 0.

    Raises
    ------
    ValueError
        When the file has another checksum than expected, or lacks one of the columns.
    ConnectionError
        When the download fails; the message says how to do without it.
    """
    return read_columns("compas-scores-two-years.csv", COMPAS_COLUMNS, progress)


def load_housing(*, progress=True):
    """Who owns the home they live in: 48,660 households of the American Housing Survey 2019, 11 columns.

    The householder is the person in whose name the home is owned or rented. Codes are those of the survey.

    ==========  ===========================================================================================
    BLACK       1 for Black (6,936 rows), else 0; the authors' own column, said to be about the householder
                and, in the same note, about anyone in the household
    HHSEX       householder's sex: 1 male (25,626), 2 female (23,034)
    METRO       1 in a metropolitan area (44,303 rows), else 0; the authors' own column
    HHGRAD      householder's schooling: 31 below first grade, 39 high-school diploma, 44 bachelor's degree,
                45 master's, 46 professional school, 47 doctorate; 41 to 43, vocational diploma and associate
                degrees, are kinds more than steps
    HHMAR       marriage: 1 with spouse present, 2 with spouse absent, 3 widowed, 4 divorced, 5 separated,
                6 never married
    HHCITSHP    citizenship: 1 born in the United States, 2 in Puerto Rico or an outlying area, 3 abroad of
                American parents, 4 naturalised, 5 not a citizen
    HHAGE       householder's age in years, 15 to 85; above 79 the only values are 80 and 85
    NUMPEOPLE   people in the household, 1 to 18
    HINCP       log10 of the household's income in US dollars over twelve months: 4.0002 to 5.699
    DIVISION    census division: 1 New England, 2 Middle Atlantic, 3 East North Central, 4 West North Central,
                5 South Atlantic, 6 East South Central, 7 West South Central, 8 Mountain, 9 Pacific
    OWNER       1 when the household owns its home (30,726 rows, .631), else 0
    ==========  ===========================================================================================

    The data say how ownership goes with these traits in these households, and nothing about the whole country:
    the survey's weights are not in the file, nor is any household below 10,004 or above 500,000 dollars.

    Cleaned by Farahi and Jiao; github.com/ritwikvashistha/I-trustworthy; CC-BY 4.0. All columns are int64 but HINCP,
    float64; `progress`, and what may be raised, as in `load_compas`.
    """
    frame = read_columns("AHS_2019_Cleaned.csv", HOUSING_COLUMNS, progress)
    # Written as 0.0 and 1.0, while labels are integers everywhere else in the course.
    return frame.astype({"BLACK": "int64", "METRO": "int64", "OWNER": "int64"})


def load_heart(*, progress=True):
    """Patients examined for heart disease: 918 rows, 12 columns.

    ================  =====================================================================================
    Age               years, 28 to 77
    Sex               "M" (725) or "F" (193)
    ChestPainType     "ASY" no symptoms (496), "NAP" pain other than angina (203), "ATA" atypical angina (173),
                      "TA" typical angina (46)
    RestingBP         resting blood pressure, mm Hg; one row has 0, which no patient can have
    Cholesterol       serum cholesterol, mg/dl; 172 rows have 0, for not measured
    FastingBS         1 when fasting blood sugar is above 120 mg/dl (214 rows), else 0
    RestingECG        electrocardiogram at rest: "Normal" (552), "LVH" signs of left ventricular hypertrophy
                      (188), "ST" abnormal ST-T wave (178)
    MaxHR             highest heart rate reached, beats a minute, 60 to 202
    ExerciseAngina    angina brought on by exercise: "Y" (371) or "N" (547)
    Oldpeak           ST depression by exercise relative to rest, -2.6 to 6.2; below 0 in 13 rows
    ST_Slope          slope of the ST segment at peak exercise: "Flat" (460), "Up" (395), "Down" (63)
    HeartDisease      1 with heart disease (508 rows, .553), else 0
    ================  =====================================================================================

    The zeros are kept, as in the published study. They are no accident: 88% of the patients without a cholesterol
    value are ill, against 48% of the others.

    The data say how these signs go with a diagnosis in patients who were sent to an examination, most of them men,
    and nothing about the risk in a population.

    UCI heart disease data, as one table in github.com/ritwikvashistha/I-trustworthy, which states no terms for it.
    Columns are text, int64 and, Oldpeak, float64; `progress`, and what may be raised, as in `load_compas`.
    """
    return read_columns("heart.csv", HEART_COLUMNS, progress)


def read_columns(filename, columns, progress):
    """The named columns of a verified file, and no other cell of it."""
    path = fetch(filename, progress=progress)
    # The header alone first: pandas' own complaint about a missing column does not say in which file.
    found = pd.read_csv(path, nrows=0).columns
    missing = [name for name in columns if name not in found]
    if missing:
        raise InputError(filename, f"the columns {', '.join(columns)}", hint=f"missing: {', '.join(missing)}")
    return pd.read_csv(path, usecols=columns)[columns]
