/** Local users. */
import { iosxrUserLevels } from "../../../common/iosxr-user-levels.ts";
import type { User } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";

export const getUsers: Getter<XrDevice, "get_users"> = async (device) => {
  const response = await device.ask("<Get><Configuration><AAA></AAA></Configuration></Get>");
  const group = "UsergroupsUnderUsername/UsergroupUnderUsername/Naming/Name";
  return Object.fromEntries(
    response.descendants("Username").map((element): [string, User] => [
      element.textOf("Naming/Name"),
      {
        level: iosxrUserLevels[element.textOf(group)] ?? 0,
        password: element.textOf("Password/Password"),
        sshkeys: [],
      },
    ]),
  );
};
