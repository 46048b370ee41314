/** What tests ask about the changes of a service. */
import { expect } from "vitest";
import type { ChangeDetail, ChangeTarget } from "../../../src/api/changes/change.ts";
import type { Service } from "../../../src/testkit/service.ts";

/** @param service once it has started */
export function changesOf(service: () => Service) {
  const read = async (id: string) => (await service().call<ChangeDetail>("GET", `/change/${id}`)).body.data;
  return {
    say: (id: string, word: string, body: object = {}) =>
      service().call<ChangeDetail>("POST", `/change/${id}/${word}`, body),
    read,
    targets: async (id: string) =>
      (await service().call<ChangeTarget[]>("GET", `/change/${id}/target`)).body.data,
    /** @param state with the beginning of the reason, if one matters */
    ended: (id: string, state: string) =>
      expect
        .poll(() => read(id).then((change) => `${change.state} ${change.reason ?? ""}`), { timeout: 90_000 })
        .toMatch(new RegExp(`^${state}`)),
  };
}
