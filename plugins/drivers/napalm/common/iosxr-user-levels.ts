/** Groups of users of IOS XR as privilege levels of Cisco's other systems. */
export const iosxrUserLevels: Readonly<Record<string, number>> = {
  "root-system": 15,
  "root-lr": 15,
  operator: 5,
  sysadmin: 1,
  serviceadmin: 1,
};
