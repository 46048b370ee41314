/** Every key given to a simulated server can be parsed. */
import { expect, test } from "vitest";
import { makeKeyPair } from "../../src/simulator/hostkey.ts";
import { utils } from "../../src/ssh/ssh2.ts";

test("1,000 generated host keys can all be parsed", () => {
  for (let count = 0; count < 1_000; count++)
    expect(utils.parseKey(makeKeyPair().private)).not.toBeInstanceOf(Error);
});
