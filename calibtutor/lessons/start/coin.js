/* The forecast p of a coin of rate r: drag it along the curve of its expected squared error. */
hands.scene("coin", (pic) => {
  const { fixed, percent } = hands, grid = Array.from({ length: 101 }, (_, k) => k / 100);
  const cost = (forecast, rate) => [(forecast - rate) ** 2, rate * (1 - rate)];
  const axes = pic.panel({ x: [-0.09, 1.12], y: [-0.13, 1.06], xticks: [0, 0.5, 1], yticks: [0, 0.5, 1], xlabel: "forecast p", ylabel: "expected squared error" });
  const floor = axes.line("floor", "reference"), curve = axes.line("curve", "kept");
  const name = axes.words("name", "soft"), stem = axes.stems("stem", "miss"), miss = axes.words("miss", "miss", { size: 15, bold: true });
  const dot = axes.handle("dot", { x: "forecast" });
  return ({ forecast, rate }) => {
    const opening = forecast === 0.8 && rate === 0.5;  // as it opens, the reader is asked for the cheapest forecast
    const [error, variance] = cost(forecast, rate);
    const above = (forecast >= rate || error > 0.5) && axes.X(forecast) + 60 < pic.width, over = pic.narrow && error <= 0.1;
    const left = above ? forecast >= 0.5 : forecast > 0.5;
    curve.set(grid.flatMap((p) => [p, cost(p, rate)[0] + variance]));
    floor.set([0, variance, 1, variance]);
    name.say(opening ? "" : `no forecast is below r (1 − r) = ${fixed(variance, 3)}`, { anchor: left ? "start" : "end" });
    name.set([left ? 0 : 1, variance - 0.05]);
    stem.set(error ? [forecast, variance, forecast, variance + error] : []);
    miss.say(error > 5e-4 ? fixed(error, 3) : "", over ? { anchor: "middle", by: [Math.max(0, axes.left + 26 - axes.X(forecast)), -24] } : { anchor: above ? "start" : "end", by: [above ? 16 : -16, 0] });
    miss.set([forecast, over ? variance + error : error > 0.1 ? variance + error / 2 : variance - 0.06]);
    dot.set([forecast, variance + error]);
    const more = error > 5e-4 ? fixed(error, 3) : "nothing";
    return [
      `You say ${percent(forecast)}, it happens in ${percent(rate)}: you pay ${more} more`,
      `blue: the expected squared error of each forecast at r = ${fixed(rate, 2)}; you say p = ${fixed(forecast, 2)}`,
      `The variance of the outcome costs ${fixed(variance, 3)}; together ${fixed(error + variance, 3)}.`,
    ];
  };
});
