/** The log volume is limited, whatever fails repeatedly; successes are logged. */
import { expect, test } from "vitest";
import { createLog, type Log } from "../../src/base/log.ts";

function started() {
  let ms = 0;
  const lines: Record<string, unknown>[] = [];
  const log: Log = createLog({
    level: "info",
    format: "json",
    write: (line) => lines.push(JSON.parse(line)),
    now: () => ms,
  });
  const pass = (more: number) => {
    ms += more;
  };
  return { log, lines, pass, of: (event: string) => lines.filter((line) => line.event === event) };
}

test("a repeated failure of one device is logged 30 times a minute, then counted", () => {
  const { log, lines, pass, of } = started();
  for (let n = 0; n < 5_000; n++) log.info("job.failed", { job: `j${n}`, host: "r1", type: "ReadTimeout" });
  log.info("job.failed", { job: "x", host: "r2", type: "ReadTimeout" });
  expect(of("job.failed")).toHaveLength(31);
  expect(lines.at(-1)).toMatchObject({ host: "r2" });
  pass(60_000);
  log.info("service.anything");
  expect(of("log.repeated")).toEqual([
    expect.objectContaining({ of: "job.failed", times: 4_970, host: "r1", type: "ReadTimeout" }),
  ]);
  log.info("job.failed", { job: "y", host: "r1", type: "ReadTimeout" });
  expect(lines.at(-1)).toMatchObject({ job: "y" });
  pass(60_000);
  log.info("service.anything");
  expect(of("log.repeated")).toHaveLength(1);
});

test("rejected callers from many addresses are logged 1,000 times a minute together", () => {
  const { log, pass, of } = started();
  const refused = (n: number) =>
    log.info("http.request", { request: `q${n}`, from: `192.0.2.${n}`, status: 401 });
  for (let n = 0; n < 50_000; n++) refused(n);
  expect(of("http.request")).toHaveLength(1_000);
  pass(60_000);
  log.warn("other");
  expect(of("log.repeated")).toEqual([expect.objectContaining({ of: "http.request", times: 49_000 })]);
});

test("all successful requests are logged", () => {
  const { log, of } = started();
  for (let n = 0; n < 3_000; n++) log.info("http.request", { request: `q${n}`, key: "a", status: 200 });
  expect(of("http.request")).toHaveLength(3_000);
});
