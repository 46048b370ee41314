/** eAPI responses of real switches, including older ones that lack some fields. */
import { describe, expect, test } from "vitest";
import { resultsOf } from "../../../plugins/drivers/shared/eapi.ts";

const answered = (body: object) =>
  resultsOf({ status: 200, headers: {}, body: JSON.stringify({ jsonrpc: "2.0", id: "x", ...body }) });
const message = "CLI command 3 of 4 'show bgp' failed: could not run command";

describe("a list that was refused", () => {
  test("names the command by what the switch repeats of the list", () => {
    const data = [{}, { version: "4.31" }, { errors: ["BGP inactive", "again"] }];
    expect(answered({ error: { code: 1000, message, data } })).toEqual({
      results: [{}, { version: "4.31" }],
      refusal: {
        code: 1000,
        at: 2,
        text: "BGP inactive; again",
        results: [{}, { version: "4.31" }],
      },
    });
  });

  test.each([{}, { data: null }, { data: [] }])("and by its message alone, with %j", (more) => {
    expect(answered({ error: { code: 1000, message, ...more } })).toEqual({
      results: [],
      refusal: { code: 1000, at: 2, text: message, results: [] },
    });
  });

  test("is that of its first command where nothing tells", () => {
    expect(answered({ error: { code: 1001, message: "internal error" } }).refusal).toMatchObject({ at: 0 });
  });
});
