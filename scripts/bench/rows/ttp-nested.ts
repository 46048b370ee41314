/** The row `ttp-nested`. */
import { ttpRow } from "./shared-ttp.ts";

export default ttpRow("ttp-nested", "groups in groups and dynamic paths", { cold: 223, kept: 361 });
