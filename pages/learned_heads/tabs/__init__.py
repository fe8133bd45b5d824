"""What stands under the picture: one file a tab."""
