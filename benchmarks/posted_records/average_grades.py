from collections import defaultdict

def average_grades(grades):
    # grades is a list of (student, grade), e.g. [('bob', 80.0), ('alice', 91.5), ('bob', 74.0)]
    d = defaultdict(list)
    for name, grade in grades:
        d[name].append(grade)
    avg = {}
    for name in d:
        avg[name] = sum(d[name]) / len(d[name])
    return avg
