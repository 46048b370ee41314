/** The traceparent header: an invalid one starts a new trace. */
import { expect, test } from "vitest";
import { readTraceparent } from "../../src/tracing/traceparent.ts";

const [trace, span] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];

test("a W3C traceparent header is read", () => {
  expect(readTraceparent(`00-${trace}-${span}-01`)).toEqual({ traceId: trace, spanId: span, sampled: true });
  expect(readTraceparent(`00-${trace}-${span}-00`)?.sampled).toBe(false);
  expect(readTraceparent(`01-${trace}-${span}-03-more`)?.sampled).toBe(true);
});

test.each([
  null,
  "",
  "nonsense",
  `00-${trace}-${span}-01-more`,
  `ff-${trace}-${span}-01`,
  `00-${"0".repeat(32)}-${span}-01`,
  `00-${trace}-${"0".repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
])("the header %j is not a traceparent", (text) => {
  expect(readTraceparent(text)).toBeUndefined();
});
