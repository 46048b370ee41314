ALTER TABLE `audit` ADD `asked` blob;--> statement-breakpoint
ALTER TABLE `jobs` ADD `asked` blob;--> statement-breakpoint
ALTER TABLE `jobs` ADD `request` blob;