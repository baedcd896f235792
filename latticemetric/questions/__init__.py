"""The questions a user asks of a graph: what is the best it could have said, and what should it have said?"""
