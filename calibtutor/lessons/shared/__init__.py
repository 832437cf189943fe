"""What two lessons use."""
