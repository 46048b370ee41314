ALTER TABLE `recipes` ADD `source` text;--> statement-breakpoint
ALTER TABLE `recipes` ADD `revision` text;--> statement-breakpoint
ALTER TABLE `templates` ADD `source` text;--> statement-breakpoint
ALTER TABLE `templates` ADD `revision` text;
