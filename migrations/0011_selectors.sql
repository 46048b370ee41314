ALTER TABLE `bulks` ADD `selector` text;--> statement-breakpoint
ALTER TABLE `bulks` ADD `revision` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `device` text;--> statement-breakpoint
CREATE INDEX `jobs_device` ON `jobs` (`device`,`seq`) WHERE device is not null;