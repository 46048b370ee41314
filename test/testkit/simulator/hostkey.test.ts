/** Every key given to a simulated server can be parsed. */
import { expect, test } from "vitest";
import { utils } from "../../../src/device/ssh/ssh2.ts";
import { makeKeyPair } from "../../../src/testkit/simulator/hostkey.ts";

test("1,000 generated host keys can all be parsed", () => {
  for (let count = 0; count < 1_000; count++)
    expect(utils.parseKey(makeKeyPair().private)).not.toBeInstanceOf(Error);
});
