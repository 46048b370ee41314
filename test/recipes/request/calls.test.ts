/** Paths of calls: what a value may not make of them. */
import { expect, test } from "vitest";
import { callIssues, callOf, routeOf } from "../../../src/recipes/request/calls.ts";

const request = {
  method: "PATCH",
  path: "/inventory/device/{{ each.device }}",
  query: { part: "{{ part }}" },
  body: { vars: { note: "{{ note }}" }, other: "{{ missing }}" },
  each: "devices",
};

test("places are filled, each as one step of the path", () => {
  expect(callIssues(request)).toEqual([]);
  expect(callOf(request, { part: "a&b=c", note: "x" }, { device: "sw 1/2?#" })).toEqual({
    ...{ method: "PATCH", path: "/inventory/device/sw%201%2F2%3F%23?part=a%26b%3Dc" },
    route: "PATCH /inventory/device/:name",
    body: { vars: { note: "x" } },
  });
});

test.each(["", ".", "..", "....", "\ud800"])("%j is no step of a path", (device) => {
  expect(callOf(request, {}, { device })).toEqual({ message: expect.stringContaining("is no name") });
});

test.each([undefined, 7, [], { other: "x" }])("an entry %j without the member is refused", (entry) => {
  expect(callOf(request, {}, entry)).toEqual({ message: expect.stringContaining("is no name") });
});

test.each([
  ["GET", "/key"],
  ["DELETE", "/inventory/device/a"],
  ["POST", "/device/execute"],
  ["GET", "/inventory/device/.."],
  ["GET", "/inventory/device/x{{ a }}"],
  ["GET", "inventory/device"],
  ["GET", "/inventory/device/"],
])("%s %s is nothing that a recipe calls", (method, path) => {
  expect(callIssues({ method, path })).not.toEqual([]);
});

test("an entry needs `each`", () => {
  expect(callIssues({ method: "GET", path: "/inventory/device/{{ each }}" })).toMatchObject([
    { message: "{{ each }} needs `each`" },
  ]);
});

test.each([
  ["/history/device/sw1/diff", "GET /history/device/:name/diff"],
  ["/history/device/sw1/{{ v }}", "GET /history/device/:name/:item"],
  ["/change/{{ v }}", "GET /change/:name"],
])("%s is %s, whatever the value is", (path, route) => {
  expect(routeOf({ method: "GET", path })).toBe(route);
  expect(callOf({ method: "GET", path }, { v: "events" }, null)).toMatchObject({ route });
});
