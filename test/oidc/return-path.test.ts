/** No return path leads out of the console. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { returnPathOf } from "../../src/oidc/return-path.ts";
import { runs } from "../support/runs.ts";

const own = "https://patchbay.example";

test.each([
  "//evil.example",
  "\\\\evil.example",
  "/\\evil.example",
  "/%2f/evil.example",
  "/%2F%2Fevil.example",
  "/\t/evil.example",
  "https://evil.example",
  "HTTPS:evil.example",
  "javascript:alert(1)",
  "///evil.example/#/",
  "/#\n/x",
  "/#/x\r\nSet-Cookie: a=b",
  "/#/ü",
  "/x/../#/",
  ".//#/",
  "",
  " /#/",
  `/#/${"x".repeat(2_000)}`,
])("%j becomes the start page", (asked) => {
  expect(returnPathOf(asked)).toBe("/");
});

test.each(["/", "/#/", "/#/jobs?status=failed&host=a%20b", "/#/job/1%2F2"])("%j is kept", (asked) => {
  expect(returnPathOf(asked)).toBe(asked);
});

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      "/",
      "\\",
      "#",
      "//",
      "/#/",
      "%2f",
      "%5c",
      "@",
      ":",
      "?",
      ".",
      "..",
      "\t",
      "\n",
      "\r",
      "\0",
      " ",
    ),
    fc.constantFrom("https:", "javascript:", "evil.example", "data:", "patchbay.example"),
    fc.string({ unit: "binary", maxLength: 4 }),
  ),
  { maxLength: 12 },
);

test("whatever is asked for, a browser stays on the page of the console", () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const path = returnPathOf(parts.join(""));
      const url = new URL(path, `${own}/login/corp/callback?code=x`);
      expect([url.origin, url.pathname, url.search, url.username]).toEqual([own, "/", "", ""]);
      // Safe in a header.
      expect(path).toMatch(/^[\x21-\x7e]+$/);
    }),
    { numRuns: runs(2_000) },
  );
});

test("every place of the console that fits is kept", () => {
  fc.assert(
    fc.property(fc.webFragments({ size: "small" }), (fragment) => {
      const path = `/#/${fragment}`;
      expect(returnPathOf(path)).toBe(path.length <= 2_000 ? path : "/");
    }),
  );
});
