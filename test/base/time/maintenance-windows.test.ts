/** Maintenance windows on a fake clock: over midnight, several, both DST changes. */
import { expect, test } from "vitest";
import { allOf, readWindows, windowProblem } from "../../../src/base/time/maintenance-windows.ts";

const at = (text: string) => Date.parse(text);
const iso = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16);

function stand(texts: readonly string[], time: string) {
  const windows = readWindows(texts);
  const open = windows.openAt(at(time));
  return open ? `${iso(open.from)} to ${iso(open.to)}` : `closed until ${iso(windows.nextOpen(at(time)))}`;
}

const night = ["Mon-Fri 22:00-05:00 Europe/Berlin"];

test.each<[readonly string[], string, string]>([
  [night, "2026-06-05T19:59:59Z", "closed until 2026-06-05T20:00"],
  [night, "2026-06-05T20:00:00Z", "2026-06-05T20:00 to 2026-06-06T03:00"],
  // It opened on Friday and is still open on Saturday.
  [night, "2026-06-06T02:59:59Z", "2026-06-05T20:00 to 2026-06-06T03:00"],
  [night, "2026-06-06T03:00:00Z", "closed until 2026-06-08T20:00"],
  [["Fri-Sun 00:00-24:00"], "2026-06-06T12:00:00Z", "2026-06-06T00:00 to 2026-06-08T00:00"],
  [
    ["Sat,Tue 08:00-09:00", "Sat 09:00-10:00 UTC"],
    "2026-06-06T08:30:00Z",
    "2026-06-06T08:00 to 2026-06-06T10:00",
  ],
  [["08:00-09:00"], "2026-06-06T09:00:00Z", "closed until 2026-06-07T08:00"],
  // 02:00 to 03:00 does not exist: a window that starts then opens at the change; one inside it never does.
  [["Sun 02:30-04:00 Europe/Berlin"], "2026-03-29T00:59:00Z", "closed until 2026-03-29T01:00"],
  [["Sun 02:30-04:00 Europe/Berlin"], "2026-03-29T01:30:00Z", "2026-03-29T01:00 to 2026-03-29T02:00"],
  [["Sun 02:10-02:50 Europe/Berlin"], "2026-03-28T12:00:00Z", "closed until 2026-04-05T00:10"],
  // 02:00 to 03:00 occurs twice: it opens and closes the first time.
  [["Sun 01:30-02:30 Europe/Berlin"], "2026-10-25T00:29:00Z", "2026-10-24T23:30 to 2026-10-25T00:30"],
  [["Sun 01:30-02:30 Europe/Berlin"], "2026-10-25T01:15:00Z", "closed until 2026-11-01T00:30"],
  [["Sat 22:00-05:00 Europe/Berlin"], "2026-10-25T01:15:00Z", "2026-10-24T20:00 to 2026-10-25T04:00"],
])("the windows %s are open or closed at %s as expected", (texts, time, expected) => {
  expect(stand(texts, time)).toBe(expected);
});

test("several sets of windows are open only where all of them are", () => {
  const both = allOf([readWindows(["08:00-12:00"]), readWindows(["Sat,Sun 10:00-14:00"])]);
  expect(iso(both.nextOpen(at("2026-06-05T09:00:00Z")))).toBe("2026-06-06T10:00");
  expect(both.openAt(at("2026-06-06T10:30:00Z"))).toEqual({
    from: at("2026-06-06T10:00:00Z"),
    to: at("2026-06-06T12:00:00Z"),
  });
  const never = allOf([readWindows(["08:00-09:00"]), readWindows(["10:00-11:00"])]);
  expect(never.nextOpen(at("2026-06-05T09:00:00Z"))).toBeUndefined();
});

test.each([
  ["Mon-Fri 22:00-05:00 Europe/Berlin", undefined],
  ["daily 22:00-05:00", undefined],
  ["Fri - Mon 1:00 - 2:00", undefined],
  ["", /is not a window/],
  ["22-05", /is not a window/],
  ["Foo 22:00-05:00", /has an invalid day/],
  ["Mon-Tue-Wed 22:00-05:00", /has an invalid day/],
  ["25:00-26:00", /has an invalid time/],
  ["10:99-11:00", /has an invalid time/],
  ["22:00-05:00 Mars/Base", /unknown time zone/],
  ["22:00-05:00 Europe/Berlin extra", /is not a window/],
  [`${"Mon,".repeat(50)}Tue 1:00-2:00`, /longer than/],
])("the window text %s is validated", (text, problem) => {
  if (problem === undefined) expect(windowProblem(text)).toBeUndefined();
  else expect(windowProblem(text)).toMatch(problem);
});
