/** Contract of `loginRequests`: each is answered once, used once, and never more than so many wait. */
import { expect, test } from "vitest";
import { loginRequestLimits } from "../../../src/api/access/login-request.ts";
import { type MakeStorePlace, operator, useStore } from "./fixture.ts";

const asked = { challenge: "c", port: 4_000, machine: "laptop", address: "192.0.2.1", userCode: null };
const yes = { confirmed: true, personId: "p1", code: "one-time" };

export function loginRequestsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a request is answered once, by one of two nodes, and taken once with its challenge and code", async () => {
    const { loginRequests, audit } = fixture.store;
    expect(await loginRequests.add({ ...asked, id: "a" })).toBe("added");
    expect(await loginRequests.find({ id: "a" })).toMatchObject({
      machine: "laptop",
      state: "waiting",
      personId: null,
    });
    expect(await loginRequests.decided(["a", "b"])).toEqual(["b"]);
    const codes = ["one-time", "other-time"];
    const answers = await Promise.all(
      codes.map((code) => loginRequests.decide({ id: "a" }, { ...yes, code }, operator)),
    );
    const kept = codes[answers.findIndex(Boolean)] ?? "";
    expect(answers.filter(Boolean)).toMatchObject([{ id: "a", state: "confirmed", personId: "p1" }]);
    expect(await loginRequests.decided(["a"])).toEqual(["a"]);
    expect(await loginRequests.find({ id: "a" })).toBeUndefined();
    expect(await loginRequests.stateOf("a", "other")).toBeUndefined();
    expect(await loginRequests.stateOf("a", "c")).toMatchObject({ state: "confirmed" });
    for (const [challenge, code] of [
      ["other", "one-time"],
      ["c", "guessed"],
      ["c", codes.find((code) => code !== kept) ?? ""],
      ["c", null],
    ] as const)
      expect(await loginRequests.take("a", challenge, code)).toBeUndefined();
    const taken = await Promise.all([1, 2, 3].map(() => loginRequests.take("a", "c", kept)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const [entry] = await audit.page({}, 1);
    expect(entry).toMatchObject({ action: "login.confirm", detail: "laptop, from 192.0.2.1" });
    expect(JSON.stringify(await fixture.store.damagedRows(10))).not.toContain("-time");
  });

  test("one with a code for the person is found by nothing else, and one without it by its id", async () => {
    const { loginRequests } = fixture.store;
    await loginRequests.add({ ...asked, id: "a", port: null, userCode: "WDJBMJHT" });
    expect(await loginRequests.find({ id: "a" })).toBeUndefined();
    expect(await loginRequests.decide({ id: "a" }, yes, operator)).toBeUndefined();
    expect(await loginRequests.find({ userCode: "WDJBMJHH" })).toBeUndefined();
    expect(await loginRequests.find({ userCode: "WDJBMJHT" })).toMatchObject({ id: "a" });
    const no = { confirmed: false, personId: "p1", code: null };
    expect(await loginRequests.decide({ userCode: "WDJBMJHT" }, no, operator)).toMatchObject({
      state: "denied",
    });
    expect(await loginRequests.take("a", "c", null)).toBeUndefined();
    expect((await fixture.store.audit.page({}, 1))[0]).toMatchObject({ action: "login.deny" });
  });

  test("so many wait of one address, and in all, however many ask at once", async () => {
    const { loginRequests } = fixture.store;
    const { perAddress, inAll } = loginRequestLimits;
    const add = (id: string, address: string | null) => loginRequests.add({ ...asked, id, address });
    for (const address of ["192.0.2.1", null]) {
      const many = Array.from({ length: perAddress + 3 }, (_, n) => add(`${address} ${n}`, address));
      expect((await Promise.all(many)).filter((outcome) => outcome === "full")).toHaveLength(3);
    }
    for (let n = 2 * perAddress; n < inAll; n++) expect(await add(`x${n}`, `10.0.0.${n}`)).toBe("added");
    expect(await add("more", "192.0.2.9")).toBe("full");
    // A repeated write is the same request.
    expect(await add("x20", "10.0.0.20")).toBe("added");
  });
}
