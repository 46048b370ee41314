/** A service without providers. */
import type { SignIn } from "../../../src/admin/port.ts";
import { ServiceError } from "../../../src/base/errors.ts";

const none = async () => {
  throw new ServiceError("NotFound", "No OpenID Connect provider is set.");
};

export const noSignIn: SignIn = {
  ways: () => ({ key: true, providers: [] }),
  begin: none,
  finish: none,
  endByBackChannel: none,
  endByFrontChannel: none,
  beginLogout: async () => async () => undefined,
};
