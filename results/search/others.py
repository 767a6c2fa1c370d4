"""The strategies of Kernel Tuner on recorded spaces, as rows to hold against regret.csv of `dcsbench tune --study`.

Usage: others.py SEEDS FILE... > kernel_tuner.csv, where Kernel Tuner is installed. A FILE is T4 or a cache of
Kernel Tuner. Each search has a budget of 100 evaluations, and one of 30; of both the better mean after 10 and 30 counts.
An evaluation takes the median of the recorded times; a search that has found nothing counts as the slowest.
Each search has a Searchspace of its own: it keeps neighbours that were looked up, and simulated_annealing goes to those
first, so that one for all seeds would tell a search what the searches before it had found.
"""
import csv
import json
import os
import random
import statistics
import sys

import numpy
from kernel_tuner import util
from kernel_tuner.interface import Options, strategy_map
from kernel_tuner.searchspace import Searchspace

STRATEGIES = """random_sample simulated_annealing genetic_algorithm diff_evo greedy_ils greedy_mls ordered_greedy_mls mls
    pso firefly_algorithm dual_annealing basinhopping minimize bayes_opt hybrid_vndx adaptive_tabu_greywolf""".split()


def time_of(times, otherwise):
    if times:
        return statistics.median(times)
    return otherwise if isinstance(otherwise, (int, float)) else None


def read(path):
    """The values of each parameter that has several, and the time of each configuration (None: it failed)."""
    with open(path) as file:
        data = json.load(file)
    if "cache" in data:
        names = data["tune_params_keys"]
        rows = [([c[n] for n in names], time_of(c.get("times"), c["time"])) for c in data["cache"].values()]
    else:
        names = list(data["results"][0]["configuration"])
        rows = [([r["configuration"][n] for n in names],
                 time_of(r["times"]["runtimes"], None) if r["invalidity"] == "correct" else None)
                for r in data["results"]]
    values = [sorted({row[i] for row, _ in rows}) for i in range(len(names))]
    kept = [i for i in range(len(names)) if len(values[i]) > 1]
    return {names[i]: values[i] for i in kept}, {tuple(row[i] for i in kept): time for row, time in rows}


class Recorded:
    """Answers a strategy from the recorded times; `order` has them as they were asked for."""

    def __init__(self, names, times):
        self.names, self.times, self.order, self.seen, self.units = names, times, [], set(), {}
        self.dev = type("Device", (), {"max_threads": 1 << 30, "name": "recorded"})()

    def add_strategy_time(self, _):
        pass

    def run(self, configurations, options):
        return [self.one(tuple(c), options) for c in configurations]

    def one(self, key, options):
        if options.budget.is_done():
            return None
        if key not in self.seen:
            self.seen.add(key)
            self.order.append(self.times[key])
            options.budget.add_evaluations(1)
        result = dict(zip(self.names, key), time=self.times[key])
        if self.times[key] is None:
            result["time"] = result["__error__"] = util.RuntimeFailedConfig()
        return result


def search(params, times, strategy, budget, seed):
    random.seed(seed)
    numpy.random.seed(seed)
    space = Searchspace(None, None, None, from_cache={
        "tune_params": params, "cache": {str(k): dict(zip(params, k)) for k in times}})
    runner = Recorded(list(params), times)
    options = Options(tune_params=params, objective=["time"], objective_higher_is_better=[False], max_fevals=budget,
                      strategy_options=Options(max_fevals=budget), budget=util.TuningBudget(None, min(budget, len(times))),
                      verbose=False, cache={}, cachefile=None, metrics=None, restrictions=None, snap=True,
                      simulation_mode=True, strategy=strategy)
    try:
        strategy_map[strategy].tune(space, runner, options)
    except util.StopCriterionReached:
        pass
    return runner.order


def compare(path, seeds, out):
    params, times = read(path)
    right = [t for t in times.values() if t is not None]
    best, worst = min(right), max(right)
    for strategy in STRATEGIES:
        orders = {budget: [search(params, times, strategy, budget, s) for s in range(1, seeds + 1)]
                  for budget in (100, 30)}
        for after in (10, 30, 100):
            means = [statistics.mean(min([t for t in order[:after] if t is not None], default=worst) / best - 1
                                     for order in orders[budget])
                     for budget in orders if budget >= after]
            out.writerow([os.path.basename(path), len(times), "kernel_tuner", strategy, after, seeds, min(means)])


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["space", "configurations", "tuner", "strategy", "evals", "seeds", "regret_mean"])
    for path in sys.argv[2:]:
        compare(path, int(sys.argv[1]), out)


main()
