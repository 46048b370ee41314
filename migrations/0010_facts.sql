CREATE TABLE `device_facts` (
	`name` text PRIMARY KEY NOT NULL,
	`seen_at` integer,
	`login_failed_at` integer,
	`login_error` text,
	`facts_at` integer,
	`revision` integer,
	`facts` blob
);
--> statement-breakpoint
CREATE INDEX `device_facts_revision` ON `device_facts` (`revision`);--> statement-breakpoint
CREATE TRIGGER `device_facts_of_removed` AFTER UPDATE OF `own` ON `inventory_devices` WHEN new.own IS NULL BEGIN
	DELETE FROM `device_facts` WHERE `name` = new.name;
END;
